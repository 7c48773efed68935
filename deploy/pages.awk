# Run by install_service.cmake on a page of the documentation: links lead to where the files are installed, and where they are
# not, the text stands without its link. shipped: a file that lists the installed files, "place in the source place from the
# page's folder" each. folder: that of the page in the source, with / at its end.
BEGIN {
  while ((getline line < shipped) > 0) {
    split(line, part, " ")
    place[part[1]] = part[2]
  }
  RS = "\001" # the whole page
}

function normal(path,   parts, n, i, out, count) {
  n = split(path, parts, "/")
  count = 0
  for (i = 1; i <= n; i++)
    if (parts[i] == "..")
      count--
    else if (parts[i] != "." && parts[i] != "")
      out[++count] = parts[i]
  path = ""
  for (i = 1; i <= count; i++)
    path = path (i > 1 ? "/" : "") out[i]
  return path
}

# The page up to the link's text without its last "[".
function unlinked(text,   i) {
  for (i = length(text); i > 0; i--)
    if (substr(text, i, 1) == "[")
      return substr(text, 1, i - 1) substr(text, i + 1)
  return text
}

{
  done = ""
  rest = $0
  while (match(rest, /\]\([^)]*\)/)) {
    before = done substr(rest, 1, RSTART - 1)
    link = substr(rest, RSTART + 2, RLENGTH - 3)
    rest = substr(rest, RSTART + RLENGTH)
    target = link
    anchor = ""
    if (match(link, /#/)) {
      target = substr(link, 1, RSTART - 1)
      anchor = substr(link, RSTART)
    }
    if (target == "" || link ~ /:\/\//) {
      done = before "](" link ")"
      continue
    }
    target = normal(folder target)
    if (target in place)
      done = before "](" place[target] anchor ")"
    else
      done = unlinked(before)
  }
  printf "%s", done rest
}
