# Completion of tenon 0.1.0 for bash, written by `tenon help --completion bash`.

_tenon_table()
{
    cat <<'END'
@method|||auto galpha/ggl galpha/index1 galpha/index2 galpha/index3 galpha/baumgarte galpha/baumgarte2 hht/ggl hht/index1 hht/index2 hht/index3 hht/baumgarte hht/baumgarte2 bdf/ggl bdf/index1 bdf/index2 bdf/index3 bdf/baumgarte bdf/baumgarte2 bdf/stabilized-index1 radau5/ggl radau5/index1 radau5/index2 radau5/index3 radau5/baumgarte radau5/baumgarte2 radau5/stabilized-index1 herk5/index2 herk5/baumgarte2 dopri5/index1 dopri5/baumgarte dopri5/udwadia-kalaba dopri5/minimal dopri5/nullspace dopri5/maggi dopri5/projective dopri5/phase-space dopri5/penalty dopri5/augmented-lagrangian dop853/index1 dop853/baumgarte dop853/udwadia-kalaba dop853/minimal dop853/nullspace dop853/maggi dop853/projective dop853/phase-space dop853/penalty dop853/augmented-lagrangian adams/index1 adams/baumgarte adams/udwadia-kalaba adams/minimal adams/nullspace adams/maggi adams/projective adams/phase-space adams/penalty adams/augmented-lagrangian variational/multiplier variational/dalembert variational/reparam energy-momentum/multiplier energy-momentum/dalembert energy-momentum/reparam dopri5/kane dopri5/gibbs-appell dop853/kane dop853/gibbs-appell adams/kane adams/gibbs-appell |
new|*|the name of a starter model|pendulum fourbar slider-crank top arm suspension stewart chain gyroscope crane @file |write a starter model: pendulum, arm, crane and others
new|--force|||replace a file that exists
new|--json|||print JSON instead of text
new|--plugins|||load the shared objects that a model file names: their code runs
new|--help|||print this help
run|*|MODEL|@model |simulate a model
run|--out|DIR|@folder|folder for the results; MODEL.results when left out
run|--force|||replace results that the folder holds
run|--csv|||write result.csv beside result.h5
run|--no-results|||write no files: print the summary, and nothing is kept
run|--report|||write report.html, as 'tenon report' does
run|--require|BOUNDS||bounds to keep, for example 'g<1e-9,gdot<1e-9,energy<1e-6'
run|--resume|||go on with the stopped or killed run whose folder is named
run|--checkpoint|X||computing time between the states from which --resume goes on
run|--threads|N||threads that share a step; auto, which is usual, for all processors where the model is large. Results are the same, bit for bit
run|--yes|||store more than 1e8 rows or 10 GB
run|--quiet|||print nothing unless something is wrong
run|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
run|--json|||print JSON instead of text
run|--plugins|||load the shared objects that a model file names: their code runs
run|--help|||print this help
run|--method|NAME|@method|integrator/formulation@coordinates, parts may be left out; or auto
run|--rotation|NAME|auto so3 se3 quaternion euler |how rotations are stepped: on the group so3 or se3, or in the linear coordinates quaternion or euler; auto lets the method choose
run|--t-start|X||time of the start
run|--t-end|X||time of the end
run|--step|X||fixed step, or first step of an error-controlled run; 0 lets the method choose
run|--adaptive|||error-controlled step
run|--no-adaptive|||switch off --adaptive
run|--rtol|X||relative tolerance of the error-controlled step
run|--atol|X||absolute tolerance of the error-controlled step, as a part of the size of the model, of 1 rad, and of speeds that go with these
run|--atol-length|X||absolute tolerance of lengths, in place of atol; 0 for that
run|--atol-angle|X||absolute tolerance of angles, in place of atol; 0 for that
run|--atol-speed|X||absolute tolerance of speeds, in place of atol; 0 for that
run|--atol-rate|X||absolute tolerance of angular rates, in place of atol; 0 for that
run|--step-min|X||smallest error-controlled step; 0 for no bound
run|--step-max|X||largest error-controlled step; 0 for no bound
run|--rho-inf|X||galpha: spectral radius at infinite frequency, 1 for no damping
run|--hht-alpha|X||hht: alpha, from -1/3 to 0 for no damping
run|--newton-tol|X||relative tolerance of the corrector iteration, but for energy-momentum, which goes on to round-off
run|--newton-max|N||iterations before a step is given up
run|--jacobian-every|N||1: fresh tangent in each iteration; 0: reuse while it converges well
run|--corrected-start|||index3: start velocity corrected to second order in the multipliers
run|--no-corrected-start|||switch off --corrected-start
run|--project-times|X,X,...||times, increasing, at which velocities are projected onto the constraints
run|--assembly-tol|X||how far apart joints may be after assembly; lengths count in sizes of the model
run|--dependence-tol|X||constraints that repeat others but for this much count as redundant, and may be off by a few times that on the way
run|--massless-tol|X||masses and moments of inertia up to this part of the largest that joints connect with them count as none
run|--project-tol|X||+project: residual of constraints above which q and v are projected; lengths count in sizes of the model
run|--baumgarte-alpha|X||baumgarte: half the weight of the velocity residual; 0 for both: by the pace of the motion, 20 1/s for a metre under gravity
run|--baumgarte-beta|X||baumgarte: root of the weight of the position residual
run|--baumgarte-c|X||baumgarte2: C of the weight C/h of the position residual
run|--penalty-alpha|X||penalty, augmented-lagrangian: weight of the rows of constraints, in effective masses of each row
run|--penalty-omega|X||penalty, augmented-lagrangian: frequency at which what is left of constraints dies out; 0: by the pace of the motion, 20 1/s for a metre under gravity
run|--penalty-mu|X||penalty, augmented-lagrangian: damping ratio of that
run|--penalty-iterations|N||augmented-lagrangian: rounds in which multipliers are corrected, at most
run|--nullspace|NAME|auto lu qr svd gram-schmidt natural zero-eigenvalue |basis of the free directions, for nullspace, maggi, projective and phase-space
run|--characteristics|NAME||maggi: velocities by name, with commas between them, that are integrated as kinematic characteristics ('crank.angle.rate'), one for each freedom; without, the basis chooses
run|--euler-sequence|NAME|auto zxz zyx xyz zyz xyx xzx yxy yzy xzy yxz yzx zxy |axes of the Euler angles, intrinsic; left near its singularity
run|--quaternion-norm|NAME|renormalise multipliers |how quaternions stay of unit length
run|--kappa|X||radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for the method's own
run|--max-order|N||bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own
run|--bounds|NAME||bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults
run|--output|X||interval of stored rows, by dense output between steps; 0 or steps stores every step; without, there are 600 intervals
report|*|DIR|@folder |write a page with animation, plots and ledger of a run
report|--out|FILE|@file|the file to write, - for the standard output; DIR/report.html when left out
report|--snapshots|X,X,...||draw the mechanism at these times, too, all in one picture; they are times of the run [s], for example 0,0.5,1
report|--trust|||read results without checksums all the same
report|--json|||print JSON instead of text
report|--plugins|||load the shared objects that a model file names: their code runs
report|--help|||print this help
plot|*|RUN||draw channels of results and tables, or snapshots, as SVG, PNG or PDF
plot|--out|FILE|@file|the picture, FILE.svg, FILE.png or FILE.pdf; -o for short
plot|--x|CHANNEL||draw along this channel instead of the time: phase plots, orbits; RUN:CHANNEL is that of one run, at the times of the others
plot|--equal|||equal scales of both axes
plot|--log|||logarithmic axis for the values
plot|--log-x|||logarithmic axis for what goes along
plot|--log-log|||both axes logarithmic
plot|--slopes|X,X,...||with --log-log, lines of these slopes to compare with, for example 1,2
plot|--difference|RUN||subtract the same channels of another run, interpolated at the times of each
plot|--no-differences|||of two runs over time, draw the curves alone, without panels of what they differ by
plot|--absolute|||draw absolute values
plot|--points|||marks at the points instead of lines
plot|--snapshots|X,X,...||draw the mechanism at these times instead of channels, all in one picture, later ones darker [s]
plot|--plane|xy||onto which snapshots are projected, two axes, along and up
plot|--paths|NAME,...||bodies and joints whose ways are drawn with the snapshots
plot|--from|X||first time to show
plot|--to|X||last time to show
plot|--size|WxH||pixels, for example 800x500
plot|--title|TEXT||line above the picture
plot|--x-label|TEXT||text at the axis instead of name and unit
plot|--y-label|TEXT||the same at the axis of the values
plot|--labels|A,B,...||texts of the legend, for all curves or for all runs, in their order; with semicolons between them where they hold commas
plot|--list|||print the channels that the results have
plot|--trust|||read results without checksums all the same
plot|--json|||print JSON instead of text
plot|--plugins|||load the shared objects that a model file names: their code runs
plot|--help|||print this help
view|*|DIR or MODEL|@folder @model |watch a run in the browser, also while it goes on
view|--port|N||port to serve at; 0, the default, takes a free one
view|--bind|ADDRESS||address to serve at; 127.0.0.1 when left out
view|--no-browser|||do not open a browser
view|--trust|||read results without checksums all the same
view|--out|DIR|@folder|folder for the results; MODEL.results when left out
view|--force|||replace results that the folder holds
view|--csv|||write result.csv beside result.h5
view|--yes|||store more than 1e8 rows or 10 GB
view|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
view|--json|||print JSON instead of text
view|--plugins|||load the shared objects that a model file names: their code runs
view|--help|||print this help
view|--method|NAME|@method|integrator/formulation@coordinates, parts may be left out; or auto
view|--rotation|NAME|auto so3 se3 quaternion euler |how rotations are stepped: on the group so3 or se3, or in the linear coordinates quaternion or euler; auto lets the method choose
view|--t-start|X||time of the start
view|--t-end|X||time of the end
view|--step|X||fixed step, or first step of an error-controlled run; 0 lets the method choose
view|--adaptive|||error-controlled step
view|--no-adaptive|||switch off --adaptive
view|--rtol|X||relative tolerance of the error-controlled step
view|--atol|X||absolute tolerance of the error-controlled step, as a part of the size of the model, of 1 rad, and of speeds that go with these
view|--atol-length|X||absolute tolerance of lengths, in place of atol; 0 for that
view|--atol-angle|X||absolute tolerance of angles, in place of atol; 0 for that
view|--atol-speed|X||absolute tolerance of speeds, in place of atol; 0 for that
view|--atol-rate|X||absolute tolerance of angular rates, in place of atol; 0 for that
view|--step-min|X||smallest error-controlled step; 0 for no bound
view|--step-max|X||largest error-controlled step; 0 for no bound
view|--rho-inf|X||galpha: spectral radius at infinite frequency, 1 for no damping
view|--hht-alpha|X||hht: alpha, from -1/3 to 0 for no damping
view|--newton-tol|X||relative tolerance of the corrector iteration, but for energy-momentum, which goes on to round-off
view|--newton-max|N||iterations before a step is given up
view|--jacobian-every|N||1: fresh tangent in each iteration; 0: reuse while it converges well
view|--corrected-start|||index3: start velocity corrected to second order in the multipliers
view|--no-corrected-start|||switch off --corrected-start
view|--project-times|X,X,...||times, increasing, at which velocities are projected onto the constraints
view|--assembly-tol|X||how far apart joints may be after assembly; lengths count in sizes of the model
view|--dependence-tol|X||constraints that repeat others but for this much count as redundant, and may be off by a few times that on the way
view|--massless-tol|X||masses and moments of inertia up to this part of the largest that joints connect with them count as none
view|--project-tol|X||+project: residual of constraints above which q and v are projected; lengths count in sizes of the model
view|--baumgarte-alpha|X||baumgarte: half the weight of the velocity residual; 0 for both: by the pace of the motion, 20 1/s for a metre under gravity
view|--baumgarte-beta|X||baumgarte: root of the weight of the position residual
view|--baumgarte-c|X||baumgarte2: C of the weight C/h of the position residual
view|--penalty-alpha|X||penalty, augmented-lagrangian: weight of the rows of constraints, in effective masses of each row
view|--penalty-omega|X||penalty, augmented-lagrangian: frequency at which what is left of constraints dies out; 0: by the pace of the motion, 20 1/s for a metre under gravity
view|--penalty-mu|X||penalty, augmented-lagrangian: damping ratio of that
view|--penalty-iterations|N||augmented-lagrangian: rounds in which multipliers are corrected, at most
view|--nullspace|NAME|auto lu qr svd gram-schmidt natural zero-eigenvalue |basis of the free directions, for nullspace, maggi, projective and phase-space
view|--characteristics|NAME||maggi: velocities by name, with commas between them, that are integrated as kinematic characteristics ('crank.angle.rate'), one for each freedom; without, the basis chooses
view|--euler-sequence|NAME|auto zxz zyx xyz zyz xyx xzx yxy yzy xzy yxz yzx zxy |axes of the Euler angles, intrinsic; left near its singularity
view|--quaternion-norm|NAME|renormalise multipliers |how quaternions stay of unit length
view|--kappa|X||radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for the method's own
view|--max-order|N||bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own
view|--bounds|NAME||bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults
view|--output|X||interval of stored rows, by dense output between steps; 0 or steps stores every step; without, there are 600 intervals
check|*|MODEL|@model |freedoms, rank, redundancy and start values of a model
check|--along|||follow the motion and tell how near it comes to singular positions
check|--graph|FILE|@file|draw bodies, joints, couplings and forces: FILE.svg, FILE.dot for Graphviz, or - for SVG on the standard output
check|--pattern|FILE|@file|draw which entries of the matrix of the equations in mixed coordinates are not zero, whatever the method: FILE.svg, FILE.csv for a table, or - for SVG on the standard output
check|--projectors|FILE|@file|write the projectors of the constraints and what they are made of: FILE.json, FILE.csv, or - for CSV on the standard output
check|--at|X||with --projectors: after a run up to this time [s]
check|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
check|--json|||print JSON instead of text
check|--plugins|||load the shared objects that a model file names: their code runs
check|--help|||print this help
check|--method|NAME|@method|integrator/formulation@coordinates, parts may be left out; or auto
check|--rotation|NAME|auto so3 se3 quaternion euler |how rotations are stepped: on the group so3 or se3, or in the linear coordinates quaternion or euler; auto lets the method choose
check|--t-start|X||time of the start
check|--t-end|X||time of the end
check|--step|X||fixed step, or first step of an error-controlled run; 0 lets the method choose
check|--adaptive|||error-controlled step
check|--no-adaptive|||switch off --adaptive
check|--rtol|X||relative tolerance of the error-controlled step
check|--atol|X||absolute tolerance of the error-controlled step, as a part of the size of the model, of 1 rad, and of speeds that go with these
check|--atol-length|X||absolute tolerance of lengths, in place of atol; 0 for that
check|--atol-angle|X||absolute tolerance of angles, in place of atol; 0 for that
check|--atol-speed|X||absolute tolerance of speeds, in place of atol; 0 for that
check|--atol-rate|X||absolute tolerance of angular rates, in place of atol; 0 for that
check|--step-min|X||smallest error-controlled step; 0 for no bound
check|--step-max|X||largest error-controlled step; 0 for no bound
check|--rho-inf|X||galpha: spectral radius at infinite frequency, 1 for no damping
check|--hht-alpha|X||hht: alpha, from -1/3 to 0 for no damping
check|--newton-tol|X||relative tolerance of the corrector iteration, but for energy-momentum, which goes on to round-off
check|--newton-max|N||iterations before a step is given up
check|--jacobian-every|N||1: fresh tangent in each iteration; 0: reuse while it converges well
check|--corrected-start|||index3: start velocity corrected to second order in the multipliers
check|--no-corrected-start|||switch off --corrected-start
check|--project-times|X,X,...||times, increasing, at which velocities are projected onto the constraints
check|--assembly-tol|X||how far apart joints may be after assembly; lengths count in sizes of the model
check|--dependence-tol|X||constraints that repeat others but for this much count as redundant, and may be off by a few times that on the way
check|--massless-tol|X||masses and moments of inertia up to this part of the largest that joints connect with them count as none
check|--project-tol|X||+project: residual of constraints above which q and v are projected; lengths count in sizes of the model
check|--baumgarte-alpha|X||baumgarte: half the weight of the velocity residual; 0 for both: by the pace of the motion, 20 1/s for a metre under gravity
check|--baumgarte-beta|X||baumgarte: root of the weight of the position residual
check|--baumgarte-c|X||baumgarte2: C of the weight C/h of the position residual
check|--penalty-alpha|X||penalty, augmented-lagrangian: weight of the rows of constraints, in effective masses of each row
check|--penalty-omega|X||penalty, augmented-lagrangian: frequency at which what is left of constraints dies out; 0: by the pace of the motion, 20 1/s for a metre under gravity
check|--penalty-mu|X||penalty, augmented-lagrangian: damping ratio of that
check|--penalty-iterations|N||augmented-lagrangian: rounds in which multipliers are corrected, at most
check|--nullspace|NAME|auto lu qr svd gram-schmidt natural zero-eigenvalue |basis of the free directions, for nullspace, maggi, projective and phase-space
check|--characteristics|NAME||maggi: velocities by name, with commas between them, that are integrated as kinematic characteristics ('crank.angle.rate'), one for each freedom; without, the basis chooses
check|--euler-sequence|NAME|auto zxz zyx xyz zyz xyx xzx yxy yzy xzy yxz yzx zxy |axes of the Euler angles, intrinsic; left near its singularity
check|--quaternion-norm|NAME|renormalise multipliers |how quaternions stay of unit length
check|--kappa|X||radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for the method's own
check|--max-order|N||bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own
check|--bounds|NAME||bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults
check|--output|X||interval of stored rows, by dense output between steps; 0 or steps stores every step; without, there are 600 intervals
equilibrium|*|MODEL|@model |where a mechanism rests or turns steadily, and whether it is stable
equilibrium|--time|X||time at which drives and functions are held; that of the model's start
equilibrium|--nearest|||the nearest equilibrium by Newton's method, even if it is unstable
equilibrium|--steps|N||raise the loads in this many steps
equilibrium|--arc|||follow the path of equilibria by its length, past limit points of the load
equilibrium|--arc-step|X||longest step along it, in sizes of the model, radians and load factors
equilibrium|--most-points|N||how many points it may have
equilibrium|--load|INPUT||the input that is the load; gravity, point forces and motors when left out
equilibrium|--load-from|X||first load factor of a path, 0
equilibrium|--load-to|X||load factor at the end, 1
equilibrium|--spin|X||steady rotation of the whole mechanism
equilibrium|--axis|X,Y,Z||its axis, 0,0,1
equilibrium|--about|X,Y,Z||a point of its axis, 0,0,0 [m]
equilibrium|--trim|INPUTS||find the values of these inputs, for example 'lift,rudder'
equilibrium|--outputs|VALUES||so that joints and bodies have these coordinates, for example 'hinge.angle=0.1,plate.z=0.2'
equilibrium|--out|FILE.csv|@file|write a table of the path; -o for short
equilibrium|--plot|FILE.svg|@file|draw the path over the load, as SVG, PNG or PDF
equilibrium|--show|COLUMNS||which columns, for example 'pin.angle,rod.x'; the first that change
equilibrium|--force|||replace the table or the picture that is there
equilibrium|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
equilibrium|--json|||print JSON instead of text
equilibrium|--plugins|||load the shared objects that a model file names: their code runs
equilibrium|--help|||print this help
modes|*|MODEL|@model |natural frequencies, damping and mode shapes about an equilibrium
modes|--count|N||how many modes, the slowest first; 20, or 8 with --over
modes|--undamped|||leave out damping
modes|--over|NAME=FROM:TO:N||a Campbell diagram: modes at N values of 'spin' [rad/s], 'motion', 'load', an input or a parameter of the model
modes|--plot|FILE.svg|@file|draw frequencies and damping over it, as SVG, PNG or PDF
modes|--about|POINT||'equilibrium', which is looked for, or 'start', which must be one, or a steady motion
modes|--from|RESULTS||about a state of a run: its folder, or a file of results
modes|--at|X||the row nearest to this time; the last one
modes|--trust|||read results without checksums all the same
modes|--motion|X||velocities of the start or state times this factor
modes|--time|X||time at which drives and functions are held; that of the model's start
modes|--nearest|||about the nearest equilibrium by Newton's method, even if it is unstable
modes|--load|INPUT||the input that the load factor scales; gravity, point forces and motors when left out
modes|--load-to|X||load factor, 1
modes|--spin|X||steady rotation of the whole mechanism
modes|--axis|X,Y,Z||its axis, 0,0,1
modes|--through|X,Y,Z||a point of its axis, 0,0,0 [m]
modes|--method|METHOD|@method|'dense' matrices for all modes or 'sparse' ones for some; 'auto' goes by the size
modes|--shapes|||with --json: the motion of every body in each mode
modes|--out|FILE.csv|@file|write a table of the modes; -o for short
modes|--report|FILE.html|@file|write a page that shows the modes in motion
modes|--force|||replace the table, picture or page that is there
modes|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
modes|--json|||print JSON instead of text
modes|--plugins|||load the shared objects that a model file names: their code runs
modes|--help|||print this help
linearize|*|MODEL|@model |a linear model about an equilibrium or a steady motion, for control
linearize|--inputs|INPUTS||inputs u, for example 'push,steer'; all of the model
linearize|--outputs|NAMES||outputs y, by the names of results, for example 'pole.angle,rail.force.x'; the outputs of the model, or else the states
linearize|--about|POINT||'equilibrium', which is looked for, or 'start', which must be one, or a steady motion
linearize|--from|RESULTS||about a state of a run: its folder, or a file of results
linearize|--at|X||the row nearest to this time; the last one
linearize|--trust|||read results without checksums all the same
linearize|--motion|X||velocities of the start or state times this factor
linearize|--matrices|COORDINATES||mass, damping and stiffness, too, in 'absolute' or 'joint' coordinates
linearize|--time|X||time at which drives and functions are held; that of the model's start
linearize|--nearest|||the nearest equilibrium by Newton's method, even if it is unstable
linearize|--spin|X||steady rotation of the whole mechanism
linearize|--axis|X,Y,Z||its axis, 0,0,1
linearize|--through|X,Y,Z||a point of its axis, 0,0,0 [m]
linearize|--out|FILE|@file|write FILE.h5, FILE.json or FILE.csv; -o for short
linearize|--force|||replace the file that is there
linearize|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
linearize|--json|||print JSON instead of text
linearize|--plugins|||load the shared objects that a model file names: their code runs
linearize|--help|||print this help
inverse|*|MODEL|@model |motor forces of a mechanism that moves as told
inverse|--motion|FILE.csv|@file|motions of joint coordinates: a line of names, time first, then numbers
inverse|--from|DIR|@folder|follow the motion of an earlier run, DIR or result.h5
inverse|--trust|||read results without checksums all the same
inverse|--motors|NAMES||where the motors are, for example 'A,screw.angle'; all that is driven when left out
inverse|--out|FILE.csv|@file|write a table of all times; -o for short
inverse|--force|||replace the table that is there
inverse|--reactions|||with the forces and torques in the joints
inverse|--t-start|X||begin; that of the motion or of the model
inverse|--t-end|X||end; that of the motion or of the model
inverse|--output|X||time between rows; that of the model, or 200 rows
inverse|--tolerance|X||how far motions that contradict each other may be missed, lengths in sizes of the model; 1e-6, with --from 1e-3
inverse|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
inverse|--json|||print JSON instead of text
inverse|--plugins|||load the shared objects that a model file names: their code runs
inverse|--help|||print this help
methods|*|nothing||list integrators, formulations and their legal pairings
methods|--json|||print JSON instead of text
methods|--plugins|||load the shared objects that a model file names: their code runs
methods|--help|||print this help
converge|*|MODEL|@model |errors and observed orders over halved steps or tolerances
converge|--methods|LIST|@methods|methods with commas between, for example bdf/ggl,galpha/ggl
converge|--tols|LIST||tolerances rtol with commas between
converge|--steps|LIST||fixed steps [s] with commas between
converge|--levels|N||how many tolerances or steps to make of one
converge|--reference|DIR|@folder|results of 'tenon run' to compare with; auto makes a tight run by itself
converge|--points|N||compare at so many times, by dense output, not only at the end
converge|--patience|X||time after which a run is given up; 0 for never
converge|--jobs|N||runs at the same time; auto, which is usual, for one on each processor
converge|--trust|||read a reference without checksums all the same
converge|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
converge|--json|||print JSON instead of text
converge|--plugins|||load the shared objects that a model file names: their code runs
converge|--help|||print this help
converge|--rotation|NAME|auto so3 se3 quaternion euler |how rotations are stepped: on the group so3 or se3, or in the linear coordinates quaternion or euler; auto lets the method choose
converge|--t-start|X||time of the start
converge|--t-end|X||time of the end
converge|--atol-length|X||absolute tolerance of lengths, in place of atol; 0 for that
converge|--atol-angle|X||absolute tolerance of angles, in place of atol; 0 for that
converge|--atol-speed|X||absolute tolerance of speeds, in place of atol; 0 for that
converge|--atol-rate|X||absolute tolerance of angular rates, in place of atol; 0 for that
converge|--step-min|X||smallest error-controlled step; 0 for no bound
converge|--step-max|X||largest error-controlled step; 0 for no bound
converge|--rho-inf|X||galpha: spectral radius at infinite frequency, 1 for no damping
converge|--hht-alpha|X||hht: alpha, from -1/3 to 0 for no damping
converge|--newton-tol|X||relative tolerance of the corrector iteration, but for energy-momentum, which goes on to round-off
converge|--newton-max|N||iterations before a step is given up
converge|--jacobian-every|N||1: fresh tangent in each iteration; 0: reuse while it converges well
converge|--corrected-start|||index3: start velocity corrected to second order in the multipliers
converge|--no-corrected-start|||switch off --corrected-start
converge|--project-times|X,X,...||times, increasing, at which velocities are projected onto the constraints
converge|--assembly-tol|X||how far apart joints may be after assembly; lengths count in sizes of the model
converge|--dependence-tol|X||constraints that repeat others but for this much count as redundant, and may be off by a few times that on the way
converge|--massless-tol|X||masses and moments of inertia up to this part of the largest that joints connect with them count as none
converge|--project-tol|X||+project: residual of constraints above which q and v are projected; lengths count in sizes of the model
converge|--baumgarte-alpha|X||baumgarte: half the weight of the velocity residual; 0 for both: by the pace of the motion, 20 1/s for a metre under gravity
converge|--baumgarte-beta|X||baumgarte: root of the weight of the position residual
converge|--baumgarte-c|X||baumgarte2: C of the weight C/h of the position residual
converge|--penalty-alpha|X||penalty, augmented-lagrangian: weight of the rows of constraints, in effective masses of each row
converge|--penalty-omega|X||penalty, augmented-lagrangian: frequency at which what is left of constraints dies out; 0: by the pace of the motion, 20 1/s for a metre under gravity
converge|--penalty-mu|X||penalty, augmented-lagrangian: damping ratio of that
converge|--penalty-iterations|N||augmented-lagrangian: rounds in which multipliers are corrected, at most
converge|--nullspace|NAME|auto lu qr svd gram-schmidt natural zero-eigenvalue |basis of the free directions, for nullspace, maggi, projective and phase-space
converge|--characteristics|NAME||maggi: velocities by name, with commas between them, that are integrated as kinematic characteristics ('crank.angle.rate'), one for each freedom; without, the basis chooses
converge|--euler-sequence|NAME|auto zxz zyx xyz zyz xyx xzx yxy yzy xzy yxz yzx zxy |axes of the Euler angles, intrinsic; left near its singularity
converge|--quaternion-norm|NAME|renormalise multipliers |how quaternions stay of unit length
converge|--kappa|X||radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for the method's own
converge|--max-order|N||bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own
converge|--bounds|NAME||bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults
compare|*|MODEL|@model |work and accuracy of methods on one model, side by side
compare|--methods|LIST|@methods|methods with commas between, for example bdf/ggl,galpha/ggl
compare|--tols|LIST||tolerances rtol with commas between
compare|--steps|LIST||fixed steps [s] with commas between
compare|--levels|N||how many tolerances or steps to make of one
compare|--reference|DIR|@folder|results of 'tenon run' to compare with; auto makes a tight run by itself
compare|--points|N||compare at so many times, by dense output, not only at the end
compare|--patience|X||time after which a run is given up; 0 for never
compare|--jobs|N||runs at the same time; auto, which is usual, for one on each processor
compare|--trust|||read a reference without checksums all the same
compare|--condition|||condition numbers of the iteration matrices of discrete principles
compare|--out|DIR|@folder|folder for compare.svg, energy.svg, compare.csv and compare.html
compare|--force|||replace a comparison that the folder holds
compare|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
compare|--json|||print JSON instead of text
compare|--plugins|||load the shared objects that a model file names: their code runs
compare|--help|||print this help
compare|--rotation|NAME|auto so3 se3 quaternion euler |how rotations are stepped: on the group so3 or se3, or in the linear coordinates quaternion or euler; auto lets the method choose
compare|--t-start|X||time of the start
compare|--t-end|X||time of the end
compare|--atol-length|X||absolute tolerance of lengths, in place of atol; 0 for that
compare|--atol-angle|X||absolute tolerance of angles, in place of atol; 0 for that
compare|--atol-speed|X||absolute tolerance of speeds, in place of atol; 0 for that
compare|--atol-rate|X||absolute tolerance of angular rates, in place of atol; 0 for that
compare|--step-min|X||smallest error-controlled step; 0 for no bound
compare|--step-max|X||largest error-controlled step; 0 for no bound
compare|--rho-inf|X||galpha: spectral radius at infinite frequency, 1 for no damping
compare|--hht-alpha|X||hht: alpha, from -1/3 to 0 for no damping
compare|--newton-tol|X||relative tolerance of the corrector iteration, but for energy-momentum, which goes on to round-off
compare|--newton-max|N||iterations before a step is given up
compare|--jacobian-every|N||1: fresh tangent in each iteration; 0: reuse while it converges well
compare|--corrected-start|||index3: start velocity corrected to second order in the multipliers
compare|--no-corrected-start|||switch off --corrected-start
compare|--project-times|X,X,...||times, increasing, at which velocities are projected onto the constraints
compare|--assembly-tol|X||how far apart joints may be after assembly; lengths count in sizes of the model
compare|--dependence-tol|X||constraints that repeat others but for this much count as redundant, and may be off by a few times that on the way
compare|--massless-tol|X||masses and moments of inertia up to this part of the largest that joints connect with them count as none
compare|--project-tol|X||+project: residual of constraints above which q and v are projected; lengths count in sizes of the model
compare|--baumgarte-alpha|X||baumgarte: half the weight of the velocity residual; 0 for both: by the pace of the motion, 20 1/s for a metre under gravity
compare|--baumgarte-beta|X||baumgarte: root of the weight of the position residual
compare|--baumgarte-c|X||baumgarte2: C of the weight C/h of the position residual
compare|--penalty-alpha|X||penalty, augmented-lagrangian: weight of the rows of constraints, in effective masses of each row
compare|--penalty-omega|X||penalty, augmented-lagrangian: frequency at which what is left of constraints dies out; 0: by the pace of the motion, 20 1/s for a metre under gravity
compare|--penalty-mu|X||penalty, augmented-lagrangian: damping ratio of that
compare|--penalty-iterations|N||augmented-lagrangian: rounds in which multipliers are corrected, at most
compare|--nullspace|NAME|auto lu qr svd gram-schmidt natural zero-eigenvalue |basis of the free directions, for nullspace, maggi, projective and phase-space
compare|--characteristics|NAME||maggi: velocities by name, with commas between them, that are integrated as kinematic characteristics ('crank.angle.rate'), one for each freedom; without, the basis chooses
compare|--euler-sequence|NAME|auto zxz zyx xyz zyz xyx xzx yxy yzy xzy yxz yzx zxy |axes of the Euler angles, intrinsic; left near its singularity
compare|--quaternion-norm|NAME|renormalise multipliers |how quaternions stay of unit length
compare|--kappa|X||radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for the method's own
compare|--max-order|N||bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own
compare|--bounds|NAME||bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults
sweep|*|MODEL|@model |run a model with many values of its parameters
sweep|--outputs|LIST||numbers of each run with commas between: final, min, max, range, mean, rms of a channel or an expression, event or count of an event, for example 'max(pin.force.x)'
sweep|--sample|WAY||grid, rows, lhs:N, sobol:N or random:N; grid when it is left out
sweep|--seed|N||of samples; 1
sweep|--out|DIR|@folder|folder of the table; MODEL.sweep
sweep|--jobs|N||worker processes; auto is one for each processor
sweep|--shard|I/N||run part I of N of the cases; --merge joins them
sweep|--merge|DIRS||take over cases of these folders, with commas between
sweep|--force|||replace cases that the folder holds
sweep|--yes|||allow more than a million cases
sweep|--quiet|||print nothing but errors
sweep|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
sweep|--json|||print JSON instead of text
sweep|--plugins|||load the shared objects that a model file names: their code runs
sweep|--help|||print this help
sweep|--method|NAME|@method|integrator/formulation@coordinates, parts may be left out; or auto
sweep|--rotation|NAME|auto so3 se3 quaternion euler |how rotations are stepped: on the group so3 or se3, or in the linear coordinates quaternion or euler; auto lets the method choose
sweep|--t-start|X||time of the start
sweep|--t-end|X||time of the end
sweep|--step|X||fixed step, or first step of an error-controlled run; 0 lets the method choose
sweep|--adaptive|||error-controlled step
sweep|--no-adaptive|||switch off --adaptive
sweep|--rtol|X||relative tolerance of the error-controlled step
sweep|--atol|X||absolute tolerance of the error-controlled step, as a part of the size of the model, of 1 rad, and of speeds that go with these
sweep|--atol-length|X||absolute tolerance of lengths, in place of atol; 0 for that
sweep|--atol-angle|X||absolute tolerance of angles, in place of atol; 0 for that
sweep|--atol-speed|X||absolute tolerance of speeds, in place of atol; 0 for that
sweep|--atol-rate|X||absolute tolerance of angular rates, in place of atol; 0 for that
sweep|--step-min|X||smallest error-controlled step; 0 for no bound
sweep|--step-max|X||largest error-controlled step; 0 for no bound
sweep|--rho-inf|X||galpha: spectral radius at infinite frequency, 1 for no damping
sweep|--hht-alpha|X||hht: alpha, from -1/3 to 0 for no damping
sweep|--newton-tol|X||relative tolerance of the corrector iteration, but for energy-momentum, which goes on to round-off
sweep|--newton-max|N||iterations before a step is given up
sweep|--jacobian-every|N||1: fresh tangent in each iteration; 0: reuse while it converges well
sweep|--corrected-start|||index3: start velocity corrected to second order in the multipliers
sweep|--no-corrected-start|||switch off --corrected-start
sweep|--project-times|X,X,...||times, increasing, at which velocities are projected onto the constraints
sweep|--assembly-tol|X||how far apart joints may be after assembly; lengths count in sizes of the model
sweep|--dependence-tol|X||constraints that repeat others but for this much count as redundant, and may be off by a few times that on the way
sweep|--massless-tol|X||masses and moments of inertia up to this part of the largest that joints connect with them count as none
sweep|--project-tol|X||+project: residual of constraints above which q and v are projected; lengths count in sizes of the model
sweep|--baumgarte-alpha|X||baumgarte: half the weight of the velocity residual; 0 for both: by the pace of the motion, 20 1/s for a metre under gravity
sweep|--baumgarte-beta|X||baumgarte: root of the weight of the position residual
sweep|--baumgarte-c|X||baumgarte2: C of the weight C/h of the position residual
sweep|--penalty-alpha|X||penalty, augmented-lagrangian: weight of the rows of constraints, in effective masses of each row
sweep|--penalty-omega|X||penalty, augmented-lagrangian: frequency at which what is left of constraints dies out; 0: by the pace of the motion, 20 1/s for a metre under gravity
sweep|--penalty-mu|X||penalty, augmented-lagrangian: damping ratio of that
sweep|--penalty-iterations|N||augmented-lagrangian: rounds in which multipliers are corrected, at most
sweep|--nullspace|NAME|auto lu qr svd gram-schmidt natural zero-eigenvalue |basis of the free directions, for nullspace, maggi, projective and phase-space
sweep|--characteristics|NAME||maggi: velocities by name, with commas between them, that are integrated as kinematic characteristics ('crank.angle.rate'), one for each freedom; without, the basis chooses
sweep|--euler-sequence|NAME|auto zxz zyx xyz zyz xyx xzx yxy yzy xzy yxz yzx zxy |axes of the Euler angles, intrinsic; left near its singularity
sweep|--quaternion-norm|NAME|renormalise multipliers |how quaternions stay of unit length
sweep|--kappa|X||radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for the method's own
sweep|--max-order|N||bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own
sweep|--bounds|NAME||bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults
sweep|--output|X||interval of stored rows, by dense output between steps; 0 or steps stores every step; without, there are 600 intervals
reduce|*|a job||make a modal body from finite element matrices
reduce|--out|FILE.h5|@file|the file of the modal body; -o for short
reduce|--compare|N||how many frequencies of the free body are compared with those of the whole mesh, 6
reduce|--force|||replace the file that is there
reduce|--json|||print JSON instead of text
reduce|--plugins|||load the shared objects that a model file names: their code runs
reduce|--help|||print this help
paper|*|PAPER|paper paper |compute figures, tables and examples of papers anew
paper|--all|||run all items, or all of the paper that is named
paper|--quick|||leave out what is long
paper|--out|DIR|@folder|folder for what is written; KEY_ITEM.paper, or papers.results with --all
paper|--jobs|N||items that run at the same time; 2
paper|--papers|DIR|@folder|folder of the items; the one that came with Tenon
paper|--quiet|||print nothing unless something is wrong
paper|--set|NAME=VALUE||another value of a parameter of the model, a number or an expression; may be repeated
paper|--json|||print JSON instead of text
paper|--plugins|||load the shared objects that a model file names: their code runs
paper|--help|||print this help
doctor|*|(null)||what is installed, what is missing and what it is for
doctor|--json|||print JSON instead of text
doctor|--plugins|||load the shared objects that a model file names: their code runs
doctor|--help|||print this help
help|*|a command or kind|new run report plot view check equilibrium modes linearize inverse methods converge compare sweep reduce paper doctor help rigid planar point point-2d fixed revolute prismatic cylindrical universal spherical planar screw planar-fixed planar-revolute planar-prismatic pin-in-slot distance point-on-line point-in-plane gear rack-pinion drive pose-drive rolling-wheel rolling-ball knife-edge velocity-row cam point-on-surface curve-on-curve wheel-rail point-force spring torsion-spring bushing joint-spring joint-stop motor law joint-law frame-law friction lugre creep beam-element box cylinder sphere capsule cone mesh pid lowpass transfer-function delay hysteresis simulate @model |explain a command, or a kind of body, joint, force or shape
help|--reference|||print the reference page of the model format, in Markdown
help|--schema|||print the JSON Schema of model files, for editors
help|--man|||print the manual page
help|--completion|SHELL|bash zsh |print the completion of command lines for bash or zsh
help|--json|||print JSON instead of text
help|--plugins|||load the shared objects that a model file names: their code runs
help|--help|||print this help
END
}

# Folders, and files with one of the endings ('' for any).
_tenon_files()
{
    local current=$1 ending name
    shift
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(
        compgen -d -- "$current"
        for ending; do
            compgen -f -X "!*${ending:+.}$ending" -- "$current" |
                while IFS= read -r name; do
                    [[ -d $name ]] || printf '%s\n' "$name"
                done
        done
    )
}

_tenon()
{
    local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
    local commands= methods= options= words= values= is_value= before= kind
    local of option value list text
    COMPREPLY=()
    if [[ $current == '=' ]]; then # --step=0.1 is three words
        current=
    elif [[ $last == '=' ]]; then
        last=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    [[ $last == -o ]] && last=--out
    while IFS='|' read -r of option value list text; do
        if [[ $of == @method ]]; then
            methods=$list
        elif [[ $option == '*' ]]; then
            commands+="$of "
            [[ $of == "${COMP_WORDS[1]}" ]] && words=$list
        elif [[ $of == "${COMP_WORDS[1]}" ]]; then
            options+="$option "
            [[ $option == "$last" && -n $value ]] && is_value=yes values=$list
        fi
    done < <(_tenon_table)
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$commands--help --version --json" -- "$current"))
        return
    fi
    [[ -n $options ]] || return
    if [[ -n $is_value ]]; then
        words=$values
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        return
    fi
    for kind in $words; do
        case $kind in
        @model) _tenon_files "$current" yaml yml json ;;
        @folder) _tenon_files "$current" h5 ;;
        @file) _tenon_files "$current" '' ;;
        @method) COMPREPLY+=($(compgen -W "$methods" -- "$current")) ;;
        @methods)
            [[ $current == *,* ]] && before=${current%,*},
            COMPREPLY+=($(compgen -P "$before" -W "$methods" -- "${current##*,}"))
            ;;
        *) COMPREPLY+=($(compgen -W "$kind" -- "$current")) ;;
        esac
    done
}
complete -F _tenon tenon
