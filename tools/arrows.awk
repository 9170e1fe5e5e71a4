# What tools/arrows does with the lines it collects:
#   row | `folder/` | what | knows |      the table
#   include FILE LINE < or " HEADER       every #include
#   symbol FILE NAME KIND ...             every symbol of an object, as nm prints it; U: used, not defined

BEGIN {
    MOST = 8 # files of a room that may call each other in a circle
    # What comes with the C library and the kernel; every other header in <> is a library's.
    n = split("aio alloca assert complex ctype dirent dlfcn elf endian err errno error fcntl features fenv float fnmatch " \
        "getopt glob grp inttypes iso646 langinfo libgen limits link locale malloc math mntent netdb paths poll " \
        "pthread pty pwd regex sched semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint " \
        "stdio stdlib stdnoreturn string strings syslog termios threads time uchar ucontext unistd utime utmp utmpx " \
        "wchar wctype wordexp", names, " ")
    for (i = 1; i <= n; i++)
        system_header[names[i] ".h"] = 1
    # Libraries whose headers do not bear their name.
    n = split("libmd sha1.h libmd sha2.h libmd md5.h libseccomp seccomp.h inih ini.h libsodium sodium.h", names, " ")
    for (i = 1; i < n; i += 2)
        library[names[i + 1]] = names[i]
}

function complain(text) { if (mode == "check") { print "lint: " text; failed = 1 } }

# The room of a file or of a header's path: the longest row that is a folder above it.
function room_of(path,    folder) {
    folder = path
    while (sub("/[^/]*$", "", folder))
        if (folder in row)
            return folder
    return ""
}

# ---- the table ----

$1 == "row" {
    split($0, column, /[ \t]*[|][ \t]*/)
    if (column[4] == "knows") { in_table = 1; next }
    if (column[2] !~ "^`[^`]*/`$") { if (column[2] !~ /^-+$/) in_table = 0; next }
    if (!in_table) next
    name = substr(column[2], 2, length(column[2]) - 3)
    row[name] = column[4]
    rooms[++room_count] = name
    next
}

# The library that a header belongs to, by the name that the table uses: <uv.h> is libuv's or uv's.
function library_of(header,    name) {
    if (header in library)
        return library[header]
    name = header
    sub("/.*", "", name)
    sub("[.]h$", "", name)
    return name
}

# Reads the column "knows" of every row into may[room, what]; what: a room, a header or a library.
function read_table(    r, i, j, n, words, word, quoted, target) {
    for (r = 1; r <= room_count; r++) {
        n = split(row[rooms[r]], words, /[ \t]*,[ \t]*/)
        for (i = 1; i <= n; i++) {
            word = words[i]
            if (word == "" || word == "nothing")
                continue
            quoted = word ~ /^`.*`$/
            gsub(/`|\/`$/, "", word)
            sub("/$", "", word)
            if (!quoted && word !~ /^[a-z][a-z0-9_+-]*$/)
                complain("ARCHITECTURE.md, row `" rooms[r] "/`: \"" word "\" is neither `room`, `room/header` nor a library")
            else if (!quoted)
                may[rooms[r], "<" word] = 1
            else if ((target = known(word)) != "")
                may[rooms[r], target] = 1
            else
                complain("ARCHITECTURE.md, row `" rooms[r] "/`: there is no `" word "`")
        }
    }
}

# A room or header by the name that the table uses, in full or without "ptyd/".
function known(word) {
    if (word in row) return word
    if (("ptyd/" word) in row) return "ptyd/" word
    if ((word ".h") in is_file) return word ".h"
    if (("ptyd/" word ".h") in is_file) return "ptyd/" word ".h"
    return ""
}

# ---- includes ----

$1 == "include" {
    is_file[$5] = is_file[$2] = 1
    include_file[++includes] = $2
    include_line[includes] = $3
    include_kind[includes] = $4
    include_what[includes] = $5
    next
}

function check_include(i,    file, what, room, other, name) {
    file = include_file[i]
    what = include_what[i]
    room = room_of(file)
    if (room == "") {
        if (!(file in roomless))
            complain(file ": its folder has no row in ARCHITECTURE.md's table")
        roomless[file] = 1
        return
    }
    if (include_kind[i] == "<") {
        if (what in system_header || what ~ "^(sys|linux|asm|net|netinet|arpa|bits)/")
            return
        name = library_of(what)
        seen[room, "<" name]++
        if ((room, "<" name) in may || (room, "<lib" name) in may)
            return
        refuse(i, room)
        return
    }
    other = what ~ "/" ? room_of(what) : room
    if (other == room)
        return
    if (other == "") {
        complain(file ":" include_line[i] ": \"" what "\" is in no room of ARCHITECTURE.md's table")
        return
    }
    seen[room, other]++
    if (!((room, other) in may) && !((room, what) in may))
        refuse(i, room)
}

function refuse(i, room) {
    complain(include_file[i] ":" include_line[i] ": " \
        (include_kind[i] == "<" ? "<" include_what[i] ">" : "\"" include_what[i] "\"") \
        " is not allowed by the row `" room "/` knows " row[room])
}

# ---- calls ----

$1 == "symbol" && $4 == "U" { use_file[++uses] = $2; use_name[uses] = $3; next }
$1 == "symbol" { if (!($3 in definer)) definer[$3] = $2; next }

# calls[a, b]: what file a uses of file b; joins[r, s]: such a pair's words, for rooms.
function read_calls(    i, from, to, r, s) {
    for (i = 1; i <= uses; i++) {
        from = use_file[i]
        if (!(use_name[i] in definer) || (to = definer[use_name[i]]) == from)
            continue
        r = room_of(from)
        s = room_of(to)
        if (r == s) {
            if (!((from, to) in calls))
                calls[from, to] = use_name[i]
            add_file(r, from)
            add_file(r, to)
        } else {
            call_count[r, s]++
            if (call_count[r, s] <= 3)
                joins[r, s] = joins[r, s] (call_count[r, s] > 1 ? ", " : "") from ": " use_name[i] " (" to ")"
        }
    }
}

function add_file(room, file) {
    if (file in placed)
        return
    placed[file] = 1
    room_files[room] = room_files[room] " " file
}

# The shortest way from `start` back to itself over edge[]: fills path[1..n], path[1] = start.
function shortest_cycle(start, nodes, n, edge,    queue, head, tail, before, i, at, length_) {
    queue[tail = 1] = start
    for (head = 1; head <= tail; head++) {
        at = queue[head]
        for (i = 1; i <= n; i++) {
            if (!((at, nodes[i]) in edge))
                continue
            if (nodes[i] == start) {
                length_ = 1
                for (i = at; i != start; i = before[i])
                    length_++
                steps = length_
                for (i = at; length_ > 1; i = before[i])
                    path[length_--] = i
                path[1] = start
                return steps
            }
            if (!(nodes[i] in before)) {
                before[nodes[i]] = at
                queue[++tail] = nodes[i]
            }
        }
    }
    return 0
}

function check_room_cycles(    r, i, n, key, sorted, told) {
    for (r = 1; r <= room_count; r++) {
        n = shortest_cycle(rooms[r], rooms, room_count, call_count)
        if (!n)
            continue
        key = ""
        for (i = 1; i <= room_count; i++)
            for (sorted = 1; sorted <= n; sorted++)
                if (path[sorted] == rooms[i])
                    key = key " " rooms[i]
        if (key in told)
            continue
        told[key] = 1
        complain("rooms call each other in a circle:")
        for (i = 1; i <= n; i++)
            complain("  " path[i] " -> " path[i % n + 1] "   " joins[path[i], path[i % n + 1]] \
                (call_count[path[i], path[i % n + 1]] > 3 ? ", and " call_count[path[i], path[i % n + 1]] - 3 " more" : ""))
    }
}

# reach[a, b]: file b can be reached from a inside their room (Warshall).
function check_knots(    r, n, files, i, j, k, reach, members, done, list) {
    for (r = 1; r <= room_count; r++) {
        n = split(room_files[rooms[r]], files, " ")
        for (i = 1; i <= n; i++)
            for (j = 1; j <= n; j++)
                if ((files[i], files[j]) in calls)
                    reach[files[i], files[j]] = 1
        for (k = 1; k <= n; k++)
            for (i = 1; i <= n; i++)
                if ((files[i], files[k]) in reach)
                    for (j = 1; j <= n; j++)
                        if ((files[k], files[j]) in reach)
                            reach[files[i], files[j]] = 1
        for (i = 1; i <= n; i++) {
            members = 0
            if (files[i] in done)
                continue
            for (j = 1; j <= n; j++)
                if ((files[i], files[j]) in reach && (files[j], files[i]) in reach) {
                    list[++members] = files[j]
                    done[files[j]] = 1
                }
            knots[rooms[r]] = knots[rooms[r]] (members ? " " members : "")
            if (members > MOST)
                tell_knot(rooms[r], list, members)
        }
    }
}

function tell_knot(room, list, n,    i, j, text) {
    complain(room "/: " n " files call each other in a circle, " MOST " may:")
    for (i = 1; i <= n; i++) {
        text = "  " list[i] " ->"
        for (j = 1; j <= n; j++)
            if ((list[i], list[j]) in calls)
                text = text " " list[j] " (" calls[list[i], list[j]] ")"
        gsub(room "/", "", text)
        complain(text)
    }
}

# ---- what there is ----

function show_table(    r, s, what, text, parts, key) {
    for (r = 1; r <= room_count; r++) {
        text = ""
        for (s = 1; s <= room_count; s++)
            if ((rooms[r], rooms[s]) in seen || (rooms[r], rooms[s]) in call_count)
                text = text sprintf(", %s (%d includes, %d calls)", rooms[s], seen[rooms[r], rooms[s]], call_count[rooms[r], rooms[s]])
        for (key in seen) {
            split(key, parts, SUBSEP)
            if (parts[1] == rooms[r] && parts[2] ~ /^</)
                text = text sprintf(", <%s> (%d)", substr(parts[2], 2), seen[key])
        }
        print rooms[r] "/ -> " (text == "" ? "nothing" : substr(text, 3))
        if (rooms[r] in knots && knots[rooms[r]] != "")
            print "    circles of files inside:" knots[rooms[r]]
    }
}

END {
    if (!room_count)
        complain("ARCHITECTURE.md has no table of arrows: | folder | what | knows |")
    read_table()
    for (i = 1; i <= includes; i++)
        check_include(i)
    read_calls()
    check_room_cycles()
    check_knots()
    if (mode == "table")
        show_table()
    exit failed
}
