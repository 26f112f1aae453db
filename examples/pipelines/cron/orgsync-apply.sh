#!/bin/sh
# Applies the documents on a schedule, so that access with an end ends. Mails what was applied, and what is pending approval or
# blocked by a guard if that is new.
#
#   */10 * * * *  ORGSYNC_MAIL=ops@example.org /usr/local/bin/orgsync-apply.sh /etc/orgsync/organization --only userTag
#
# The folder has reviewed documents only, for example a checkout of main. Flags after it are flags of `orgsync apply`.
# The key is a file that only this user can read: $ORGSYNC_KEY_FILE. The journal and the last news are in $ORGSYNC_STATE.
# It exits as orgsync does: 0 in sync, 5 blocked by a guard, 8 pending approval. Any other code means that apply failed, for all
# or for a part: standard error says why, so that cron mails it. 75: the previous run has not ended.
set -eu

documents=${1:?name the folder of the documents}
shift
state=${ORGSYNC_STATE:-$HOME/.local/state/orgsync}
: "${ORGSYNC_URL:?the address of the service}" "${ORGSYNC_KEY_FILE:?the file of the key}" "${ORGSYNC_MAIL:?who gets the mail}"

umask 077
mkdir -p "$state"
cd "$state"
exec 9> apply.lock
flock --nonblock 9 || exit 75

: > applied.txt # An apply that a guard blocks writes none.
code=0
orgsync apply -f "$documents" --yes --quiet --no-color --output applied.txt "$@" 2> errors-of-apply.txt || code=$?
case $code in
	0) subject="orgsync: applied" ;;
	5) subject="orgsync: blocked by a guard" ;;
	8) subject="orgsync: pending approval" ;;
	*)
		cat applied.txt errors-of-apply.txt >&2
		echo "orgsync apply ended with exit code $code: it failed, for all or for a part; see above" >&2
		exit "$code"
		;;
esac

# Without the counts of requests and the time until access ends, which differ from run to run.
cat applied.txt errors-of-apply.txt |
	sed -E -e 's/ \([0-9]+ quer.*//' -e 's/ (ends|begins|soon,) in (less than a minute|[0-9]+ [a-z]+)/ \1/g' > news.txt
is_news=true
case $code in
	0) grep -q '^ok ' news.txt || is_news=false ;;
	*) if cmp -s news.txt last-news.txt; then is_news=false; fi ;;
esac
if "$is_news"; then mail -s "$subject" "$ORGSYNC_MAIL" < news.txt; fi
# Only now: if the mail failed, the next run sends it.
mv news.txt last-news.txt
exit "$code"
