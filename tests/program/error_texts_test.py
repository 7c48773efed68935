"""tools/error-texts: no error text of the program squeezes a prohibition into "X expected"; a text that does is found, with its
place. And the program's own words: the nearest one of commands, options, orders, keys, words of keys and topics."""
import shutil

from harness import *

done = subprocess.run([os.path.join(SOURCE, "tools/error-texts"), "--check"], capture_output=True, text=True)
check(done.returncode == 0 and done.stdout == "", "texts in one of the forms", done.stdout, done.stderr)

os.makedirs(path("tree/tools"))
os.makedirs(path("tree/src/a"))
shutil.copy(os.path.join(SOURCE, "tools/error-texts"), path("tree/tools"))
TEXT = "\n".join(('int f(void) {', '  report(c, "a", "nothing expected unless "', '                 "%s", b); // a number expected, not', '  fail(why, "%s: another kind expected", b);',
      '  fail(why, "%s: a number expected, got %d", b, c);', '  report(c, "a", "needs pipe");', "}"))
with open(path("tree/src/a/a.c"), "w") as file:
    file.write(TEXT)
done = subprocess.run([path("tree/tools/error-texts"), "--check"], capture_output=True, text=True)
check(done.returncode == 1 and done.stdout.split("\n") == ["src/a/a.c:2: nothing expected unless %s", "src/a/a.c:4: %s: another kind expected", ""],
      "two squeezed texts", done.stdout, done.stderr)

for words, suggestion in ((["rnu"], "unknown command 'rnu', did you mean run?"), (["run", JLAY, "--duraton", "3"], "unknown option '--duraton', did you mean --duration?"),
                          (["check", JLAY, "--set", "pipe.lenght_m=3"], "pipe.lenght_m: unknown key, did you mean length_m?"),
                          (["check", JLAY, "--set", "environment.seabed=srping"], "expected, got 'srping', did you mean spring?"),
                          (["check", JLAY, "--set", "verdicts=[{name: a, quantity: layback, below: 3}]"], "words expected, got 'layback', did you mean layback_m? 'sagbend outputs' lists them"),
                          (["check", JLAY, "--set", "instruments=[{name: a, kind: gryo}]"], "did you mean gyro? docs/configuration-keys.md lists them"),
                          (["ctl", "tcp://127.0.0.1:9", "puase"], "unknown order 'puase', did you mean pause?"),
                          (["ctl", "tcp://127.0.0.1:9", "fault", "loss", "--probabilty", "1"], "unknown option '--probabilty', did you mean probability?"),
                          (["log", "cat", "x.mcap", "--topic", "/sensor"], "unknown topic '/sensor', did you mean sensors?"),
                          (["log", "inof", "x.mcap"], "unknown action 'inof', did you mean info?")):
    status, out, err = run(*words)
    check(status == 2 and suggestion in err, " ".join(words), status, err)
status, out, err = run("check", JLAY, "--set", "pipe.qqqqq=3")
check(status == 2 and "unknown key" in err and "did you mean" not in err, "nothing is near", err)
for program in ("sagbend-dp", "sagbend-view"):
    done = subprocess.run([os.path.join(BUILD, program), "--server-kye", "x"], capture_output=True, text=True)
    check(done.returncode == 2 and "unknown option --server-kye, did you mean --server-key?" in done.stderr, program, done.stderr)
