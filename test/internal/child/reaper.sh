# Usage: reaper SIGNAL [DIR...]. Each line on stdin replaces the list of process ids; at its end they are ended.
trap '' INT TERM HUP QUIT PIPE
first=$1
shift
pids=
while read -r line; do pids=$line; done

children() {
	cat /proc/"$1"/task/*/children 2>/dev/null
}

all=$pids
for p in $pids; do all="$all $(children "$p")"; done
# A stopped process handles no signal but KILL, so wake up everything before asking politely.
for p in $all; do kill -CONT "$p" 2>/dev/null; done
for p in $pids; do kill -"$first" "$p" 2>/dev/null; done
tries=0
for p in $pids; do
	while kill -0 "$p" 2>/dev/null && [ "$tries" -lt 50 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
done
if [ -n "$pids" ]; then
	for p in $pids; do kill -KILL -- -"$p" 2>/dev/null; done
	for p in $all; do kill -KILL "$p" 2>/dev/null; done
fi
[ $# -eq 0 ] || rm -rf -- "$@"
