# Plan of a lay: route, hang-off, touchdown point, pipe at some times; distance of the hang-off from the route.
set terminal pngcairo size 1100,640 font 'DejaVu Sans,11' enhanced background rgb 'white'
set output "route.png"
set multiplot
set lmargin at screen 0.08
set rmargin at screen 0.97
set tmargin at screen 0.97
set bmargin at screen 0.41
set title "Plan"
set xlabel "north [m]"
set ylabel "east [m]"
set xrange [*:*]
set yrange [*:*] reverse
set size ratio -1
set key at graph 0.02, graph 0.04 left bottom Left reverse samplen 2
plot for [i = 1:shape_count] "shapes.csv" every :::(i - 1)::(i - 1) using "north_m":"east_m" with lines linetype 7 linewidth 1 \
    title (i == 1 ? sprintf("pipe, %d times", shape_count) : ""), \
  "record.csv" using "touchdown_north_m":"touchdown_east_m" with lines linetype 2 title "touchdown point", \
  "record.csv" using "north_m":"east_m" with lines linetype 3 linewidth 1 title "reference point of the vessel", \
  "record.csv" using "hangoff_north_m":"hangoff_east_m" with lines linetype 1 linewidth 3 title "hang-off", \
  "route.csv" using "north_m":"east_m" with lines linestyle 10 linewidth 1 title "route"
set size noratio
set tmargin at screen 0.25
set bmargin at screen 0.11
set title "Distance of the hang-off from the route, positive to starboard"
set xlabel "simulated time [s]"
set ylabel "[m]"
set xrange [0:end_s]
set yrange [-2:2] noreverse
set key off
plot "record.csv" using "time_s":"route_cross_m" with lines linetype 1
unset multiplot
