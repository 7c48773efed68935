cd $1
grep -rlE "struct operation\b" src/view tests/fuzz tests/*.c 2>/dev/null | xargs sed -i -E 's/struct operation\b/struct page_operation/g'
git commit -qam "The page's operation has a name of its own" || true
