# a picture by mbc: gnuplot -persist FILE
set termoption noenhanced
$plot1_1 << EOD
1 2 1.5 2.5
2 4 3.75 4.25
3 5 4 6
EOD
$plot1_2 << EOD
1 0.5 0 1
2 0.25 0 0.5
3 -1 -2 0
EOD
$plot2_1 << EOD
1 2 1.5 2.5
2 4 3.75 4.25
3 5 4 6
EOD
set multiplot layout 2,1
set xlabel 'h'
set ylabel ''
set title 'forces.csv'
unset logscale
set logscale y
set size noratio
set xrange [0:4]
set yrange [*:*]
plot $plot1_1 using 1:2:3:4 with yerrorlines title 'f', \
     $plot1_2 using 1:2:3:4 with yerrorlines title 'df'
set xlabel 'h'
set ylabel 'f'
set title 'forces.csv'
unset logscale
set logscale y
set size noratio
set xrange [0:4]
set yrange [*:*]
plot $plot2_1 using 1:2:3:4 with yerrorlines notitle
unset multiplot
