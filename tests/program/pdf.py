"""What a PDF of a report says of itself: its outline, and whether it claims to be PDF/UA without what that demands."""
import re
import shutil
import subprocess
import zlib

from harness import check

TAGS = (rb"/StructTreeRoot", rb"/Marked true", rb"/S /H2", rb"/S /TH", rb"/Lang \(en\)", rb"/DisplayDocTitle true")


def text_of(pdf):
    """The objects, and whatever streams of XML, objects or drawings unpack; a claim may stand in each."""
    parts = [pdf]
    for data in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S):
        try:
            parts.append(zlib.decompress(data))
        except zlib.error:
            pass
    return b"\n".join(parts)


def outline_of(path):
    """Reads the PDF, refuses one that is broken, has no tags, or claims more than it holds, and returns the titles of its outline."""
    with open(path, "rb") as file:
        pdf = file.read()
    check(pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF") and b"/Outlines" in pdf, f"{path}: a PDF with an outline", pdf[:200])
    check(all(re.search(mark, pdf) for mark in TAGS), f"{path}: tags, language and title", [m for m in TAGS if not re.search(m, pdf)])
    whole = text_of(pdf)
    metadata = re.search(rb"<\?xpacket begin.*?<\?xpacket end", whole, re.S)
    check(metadata and b"http://purl.org/dc/elements" in metadata.group(0), f"{path}: metadata with the title")
    pictures, texts = len(re.findall(rb"/S /Figure\b", whole)), len(re.findall(rb"/Alt ?[(<]", whole))
    check(b"pdfuaid" not in whole or 0 < pictures <= texts, f"{path}: it claims PDF/UA, with {pictures} pictures and {texts} texts in their place")
    if shutil.which("qpdf"):
        done = subprocess.run(["qpdf", "--check", path], capture_output=True, text=True)
        check(done.returncode == 0, f"{path}: qpdf --check", done.stdout[-500:], done.stderr[-500:])
    return [t.replace("\\", "") for t in re.findall(r"/Title \(([^)]*)\)", pdf.decode("latin-1"))]
