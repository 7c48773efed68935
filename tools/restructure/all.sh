set -e
L=$1
cd $L
python3 @HERE@/restructure.py $L move @HERE@/manifest.txt
true
python3 @HERE@/tests_cmake.py . @HERE@/manifest.txt
git add -A; git commit -qm "Move the rooms to the tree of seven parts"
python3 @HERE@/restructure.py $L merge @HERE@/manifest.txt
git add -A; git commit -qm "Merge files of one subject"
