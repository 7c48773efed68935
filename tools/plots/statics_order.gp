# Error of the statics against the number of elements, as Saefstroem (2009), Figure 5.3. Input: input.csv from build/bench/statics_order.
set datafile separator comma
set terminal pngcairo size 760,560 font 'DejaVu Sans,11' background rgb 'white'
set output "statics-order.png"
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set border linewidth 1 linecolor rgb "#444444"
set grid linecolor rgb "#dddddd"
set tics nomirror out
set key left top reverse Left
set xrange [1e-3:0.3]
set xlabel "length of an element over that of the pipe"
set ylabel "mean error of position and attitude over the length"
set title "statics of the 30-inch pipe, 8 to 512 elements against 1024"
plot "input.csv" skip 1 using 2:3 with linespoints linecolor rgb "#0072b2" linewidth 2 pointtype 7 title "error, norm (5.109)", \
  [0.002:0.13] 0.12 * x**2 with lines linecolor rgb "#d55e00" linewidth 1.5 dashtype 2 title "order 2"
