// SPDX-License-Identifier: MIT
//
// BLAS with one thread. OpenBLAS hands matrices of ten rows to all cores, which takes several times
// as long as to compute them (eigenvalues for the null space of the squeezer: 4 to 6 times), and
// adds in another order then, so that bits would depend on the machine and its environment.

#pragma once

// Sets OpenBLAS to one thread, once in a process: a program that wants more for itself sets its own
// number after its first model. Nothing happens where BLAS is another library, or is not there yet:
// one that Tenon loads later is set then (base/library.c).
void tn_blas_one_thread(void);
