# Overview of a run: pipe in elevation and plan, distance of the vessel from its set-point, tension.
set terminal pngcairo size 1280,560 font 'DejaVu Sans,11' enhanced background rgb 'white'
set output "overview.png"
set palette defined (0 "#e8c500", 0.25 "#5ec962", 0.5 "#21918c", 0.75 "#3b528b", 1 "#440154")
set cbrange [0:1]
unset colorbox
count = words(shape_times)
share(i) = count > 1 ? (i - 1.0) / (count - 1) : 0
set multiplot
set title offset 0, -0.4
set bmargin at screen 0.11
set tmargin at screen 0.90

set lmargin at screen 0.065
set rmargin at screen 0.355
set title "elevation"
set xlabel "north [m]"
set ylabel "depth [m]"
set xtics 250
set key off
stats "shapes.csv" using "down_m" nooutput
floor_m = STATS_max
stats "shapes.csv" using "north_m" nooutput
set xrange [0:STATS_max + 60]
set yrange [floor_m + 40:-60]
set label 1 "vessel" at STATS_max - 15, -28 right
set label 2 "pipe" at STATS_max * 0.72, floor_m * 0.55 right
set label 3 "seabed" at STATS_max * 0.65, floor_m - 25 center textcolor rgb "#8c6d00"
set object 1 rectangle from graph 0, first floor_m to graph 1, graph 0 fillcolor rgb "#e9dcc0" fillstyle solid noborder behind
set object 2 rectangle from graph 0, first floor_m to graph 1, first 0 fillcolor rgb "#eef6fb" fillstyle solid noborder behind
set object 3 polygon from STATS_max - 42, -14 to STATS_max + 42, -14 to STATS_max + 34, 6 to STATS_max - 36, 6 to STATS_max - 42, -14 \
  fillcolor rgb "#333333" fillstyle solid noborder front
plot for [i = 1:count] "shapes.csv" every :::(i - 1)::(i - 1) using "north_m":"down_m" \
  with lines linewidth 2 linecolor palette fraction share(i)
unset label
unset object
set xtics autofreq

set lmargin at screen 0.425
set rmargin at screen 0.61
set title "plan (unequal scales)"
set xlabel "east [m]"
set ylabel "north [m]"
set yrange [*:*]
set key on at graph 0.97, graph 0.40 right top
set xrange [*:*]
stats "shapes.csv" using "east_m" nooutput
set xrange [(STATS_min < -1 ? STATS_min - 1 : -1):(STATS_max > 1 ? STATS_max * 1.05 : 1)]
plot for [i = 1:count] "shapes.csv" every :::(i - 1)::(i - 1) using "east_m":"north_m" \
  with lines linewidth 2 linecolor palette fraction share(i) title word(shape_times, i)." s"

set lmargin at screen 0.695
set rmargin at screen 0.985
set xrange [0:end_s]
set key off
eval mark_events
set tmargin at screen 0.90
set bmargin at screen 0.545
set title "distance from the set-point"
unset xlabel
set format x ""
set ylabel "[m]"
if (disturbed_s >= 0) set label 1 "disturbance" at disturbed_s, graph 0.05 left rotate by 90 textcolor rgb "#555555" offset -0.7, 0
if (active_s >= 0) set label 2 "controller on" at active_s, graph 0.05 left rotate by 90 textcolor rgb "#555555" offset 0.9, 0
set yrange [0:1e-3 < *]
plot "record.csv" using "time_s":"offset_m" with lines linetype 2
unset label
set tmargin at screen 0.465
set bmargin at screen 0.11
set title "tension at the hang-off"
set xlabel "simulated time [s]"
set format x "%g"
set ylabel "[kN]"
set yrange [*:*]
plot "record.csv" using "time_s":(column("hangoff_tension_n") / 1e3) with lines linetype 1
unset multiplot
