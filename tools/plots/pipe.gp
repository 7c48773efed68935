# Shape of the pipe in elevation and plan. Further input variable: shape_times, times separated by spaces.
eval png(600)
set output "pipe.png"
set palette defined (0 "#e8c500", 0.25 "#5ec962", 0.5 "#21918c", 0.75 "#3b528b", 1 "#440154")
set cbrange [0:1]
unset colorbox
count = words(shape_times)
share(i) = count > 1 ? (i - 1.0) / (count - 1) : 0
set xrange [*:*]
eval heading("Shape of the pipe")
set multiplot
set bmargin at screen 0.12
set tmargin at screen 0.88

set lmargin at screen 0.08
set rmargin at screen 0.50
set title "elevation"
set xlabel "north [m]"
set ylabel "depth [m]"
stats "shapes.csv" using "down_m" nooutput
set yrange [STATS_max + 30:-50]
unset key
plot for [i = 1:count] "shapes.csv" every :::(i - 1)::(i - 1) using "north_m":"down_m" \
  with lines linewidth 2 linecolor palette fraction share(i)
unset label 3

set lmargin at screen 0.60
set rmargin at screen 0.84
set title "plan (unequal scales)"
set xlabel "east [m]"
set ylabel "north [m]"
set yrange [*:*] noreverse
set key at screen 0.86, graph 1 left top
stats "shapes.csv" using "east_m" nooutput
set xrange [(STATS_min < -1 ? STATS_min - 1 : -1):(STATS_max > 1 ? STATS_max + 1 : 1)]
plot for [i = 1:count] "shapes.csv" every :::(i - 1)::(i - 1) using "east_m":"north_m" \
  with lines linewidth 2 linecolor palette fraction share(i) title word(shape_times, i)." s"
unset multiplot
