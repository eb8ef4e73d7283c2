// SPDX-License-Identifier: MIT
//
// A crank [mm]: a hub and a pin boss with their bores, joined by a web, and a counterweight. The
// surfaces of the bores are the sets of nodes HUB and PIN. gmsh 4.8 and later make the mesh:
//
//   gmsh -3 -format inp -o all.inp crank.geo
//   awk '/^\*/{skip = /CPS6|,ELSET=HUB|,ELSET=PIN|NSET=PART/} !skip' all.inp > crank.inp
//
// The second line leaves out the elements of the surfaces, which CalculiX would take for plates.
SetFactory("OpenCASCADE");
L = 80; h = 12;
Cylinder(1) = {0, 0, -h, 0, 0, 2*h, 22};
Cylinder(2) = {L, 0, -h, 0, 0, 2*h, 14};
Box(3) = {0, -11, -h/2, L, 22, h};
Box(4) = {-38, -20, -h/2, 38, 40, h};
BooleanUnion(5) = { Volume{1}; Delete; }{ Volume{2,3,4}; Delete; };
Cylinder(6) = {0, 0, -2*h, 0, 0, 4*h, 12};
Cylinder(7) = {L, 0, -2*h, 0, 0, 4*h, 7};
BooleanDifference(8) = { Volume{5}; Delete; }{ Volume{6,7}; Delete; };
hub() = Surface In BoundingBox {-12.5, -12.5, -h-1, 12.5, 12.5, h+1};
pin() = Surface In BoundingBox {L-7.5, -7.5, -h-1, L+7.5, 7.5, h+1};
Physical Volume("PART") = {8};
Physical Surface("HUB") = hub();
Physical Surface("PIN") = pin();
Mesh.MeshSizeMin = 12; Mesh.MeshSizeMax = 12;
Mesh.ElementOrder = 2;
Mesh.HighOrderOptimize = 2;
Mesh.SaveGroupsOfNodes = 1;
