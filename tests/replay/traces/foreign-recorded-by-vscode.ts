// As VS Code records a terminal session, in a file of its tests.
export const events = [
 {
  "type": "resize",
  "cols": 80,
  "rows": 24
 },
 {
  "type": "output",
  "data": "\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007echo one\r\n\u001b[?2004l\r\u001b]633;E;ec"
 },
 {
  "type": "promptInputChange",
  "data": "|"
 },
 {
  "type": "input",
  "data": "x"
 },
 {
  "type": "output",
  "data": "ho one;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u0007one\r\n\u001b]633;D;0\u0007\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW"
 },
 {
  "type": "output",
  "data": "7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007\r\n\u001b[?2004l\r\u001b]633;E;;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]"
 },
 {
  "type": "output",
  "data": "633;C\u0007\u001b]633;D\u0007\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007echo two; echo "
 },
 {
  "type": "output",
  "data": "three\r\n\u001b[?2004l\r\u001b]633;E;echo two\\x3b echo three;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u0007two\r"
 },
 {
  "type": "output",
  "data": "\nthree\r\n\u001b]633;D;0\u0007\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007echo never^"
 },
 {
  "type": "promptInputChange",
  "data": "|"
 },
 {
  "type": "input",
  "data": "x"
 },
 {
  "type": "output",
  "data": "C\u001b[?2004l\r\u001b[?2004h\u001b[?2004l\r\r\n\u001b]633;E;;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u0007\u001b]633;D\u0007\u001b]633;"
 },
 {
  "type": "output",
  "data": "P;Cwd=/tmp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007printf half; false\r\n\u001b[?2004l\r\u001b]633;"
 },
 {
  "type": "output",
  "data": "E;printf half\\x3b false;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u0007half\u001b]633;D;1\u0007\u001b]633;P;Cwd=/t"
 },
 {
  "type": "output",
  "data": "mp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007echo 1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16"
 },
 {
  "type": "output",
  "data": "-17-18-19-20-21-22-23-24-25-26-27-28-29-30-31-32-33-34-35-36-37-38-39-40\r\n\u001b[?2004l\r\u001b]633;E;echo 1"
 },
 {
  "type": "promptInputChange",
  "data": "|"
 },
 {
  "type": "input",
  "data": "x"
 },
 {
  "type": "output",
  "data": "-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16-17-18-19-20-21-22-23-24-25-26-27-28-29-30-31-32-33-34-35-36"
 },
 {
  "type": "output",
  "data": "-37-38-39-40;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u00071-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16-"
 },
 {
  "type": "output",
  "data": "17-18-19-20-21-22-23-24-25-26-27-28-29-30-31-32-33-34-35-36-37-38-39-40\r\n\u001b]633;D;0\u0007\u001b]633;P;Cwd=/t"
 },
 {
  "type": "output",
  "data": "mp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007for i in 1 2\r\n\u001b[?2004l\r\u001b[?2004h\u001b]633;F\u0007> \u001b]"
 },
 {
  "type": "output",
  "data": "633;G\u0007do echo $i\r\n\u001b[?2004l\r\u001b[?2004h\u001b]633;F\u0007> \u001b]633;G\u0007done\r\n\u001b[?2004l\r\u001b]633;E;for i in 1 2\\x3b do e"
 },
 {
  "type": "promptInputChange",
  "data": "|"
 },
 {
  "type": "input",
  "data": "x"
 },
 {
  "type": "output",
  "data": "cho $i\\x3b done;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u00071\r\n2\r\n\u001b]633;D;0\u0007\u001b]633;P;Cwd=/tmp/tmp"
 },
 {
  "type": "output",
  "data": ".q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007echo 'a%b' c\r\n\u001b[?2004l\r\u001b]633;E;echo 'a%b' c;0badc"
 },
 {
  "type": "output",
  "data": "afe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u0007a%b c\r\n\u001b]633;D;0\u0007\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW7/work\u0007\u001b[?"
 },
 {
  "type": "output",
  "data": "2004h\u001b]633;A\u0007here # \u001b]633;B\u0007 echo secret\r\n\u001b[?2004l\r\u001b]633;E;echo 'a%b' c;0badcafe-1234-4321-8888-0"
 },
 {
  "type": "output",
  "data": "0ff00ff00ff\u0007\u001b]633;C\u0007secret\r\n\u001b]633;D;0\u0007\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here #"
 },
 {
  "type": "promptInputChange",
  "data": "|"
 },
 {
  "type": "input",
  "data": "x"
 },
 {
  "type": "output",
  "data": " \u001b]633;B\u0007(echo inside; false)\r\n\u001b[?2004l\rinside\r\n\u001b]633;E;;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]6"
 },
 {
  "type": "output",
  "data": "33;C\u0007\u001b]633;D\u0007\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007f() { :; }\r\n\u001b[?2"
 },
 {
  "type": "output",
  "data": "004l\r\u001b]633;E;;0badcafe-1234-4321-8888-00ff00ff00ff\u0007\u001b]633;C\u0007\u001b]633;D\u0007\u001b]633;P;Cwd=/tmp/tmp.q7HUvUoVW"
 },
 {
  "type": "output",
  "data": "7/work\u0007\u001b[?2004h\u001b]633;A\u0007here # \u001b]633;B\u0007\u001b[?2004l\r\u001b[?2004h\u001b[?2004l\r\r\n"
 },
 {
  "type": "command",
  "id": "_setContext"
 }
];
