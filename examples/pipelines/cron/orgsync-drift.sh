#!/bin/sh
# Checks for drift and mails the result if it differs from the last one.
#
#   17 5 * * *  ORGSYNC_MAIL=ops@example.org /usr/local/bin/orgsync-drift.sh /etc/orgsync/organization
#
# The key is a file that only this user can read: $ORGSYNC_KEY_FILE. The last result is in $ORGSYNC_STATE.
# It exits as orgsync does: 0 in sync, 2 drift, 8 pending approval. Any other code means that the check failed, for all or
# for a part: standard error says why, with what was found, so that cron mails it. 75: the previous check is still running.
set -eu

documents=${1:?name the folder of the documents}
state=${ORGSYNC_STATE:-$HOME/.local/state/orgsync}
: "${ORGSYNC_URL:?the address of the service}" "${ORGSYNC_KEY_FILE:?the file of the key}" "${ORGSYNC_MAIL:?who gets the mail}"

umask 077
mkdir -p "$state"
cd "$state"
exec 9> lock
flock --nonblock 9 || exit 75

rm -f now.txt # A look that finds nothing out writes none, and the one before may have left its own.
code=0
orgsync drift -f "$documents" --no-color --output now.txt 2> errors.txt || code=$?
case $code in
	0) subject="orgsync: in sync" ;;
	2) subject="orgsync: drift" ;;
	8) subject="orgsync: pending approval" ;;
	*)
		# The report says what could not be checked, and what was found.
		if [ -s now.txt ]; then cat now.txt >&2; fi
		cat errors.txt >&2
		echo "orgsync drift ended with exit code $code: the check failed, for all or for a part; see above" >&2
		exit "$code"
		;;
esac

# A first check without drift is no news.
if [ ! -e last.txt ] && [ "$code" -eq 0 ]; then cp now.txt last.txt; fi
# How long access still lasts is no news: the moment when it ends stays the same.
steady() { sed -E 's/ (ends|begins|soon,) in (less than a minute|[0-9]+ [a-z]+)/ \1/g' "$1"; }
if [ "$(steady now.txt)" != "$(steady last.txt 2> /dev/null)" ]; then mail -s "$subject" "$ORGSYNC_MAIL" < now.txt; fi
# Only now: if the mail failed, the next check sends it.
mv now.txt last.txt
exit "$code"
