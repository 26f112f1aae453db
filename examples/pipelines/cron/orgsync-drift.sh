#!/bin/sh
# Looks for drift and mails what it found, once: when a look finds something else than the look before it.
#
#   17 5 * * *  ORGSYNC_MAIL=ops@example.org /usr/local/bin/orgsync-drift.sh /etc/orgsync/organization
#
# The key is a file that only this user can read: $ORGSYNC_KEY_FILE. What was found last is kept in $ORGSYNC_STATE.
# It exits as orgsync does: 0 all is as the documents say, 2 drift, 8 waits for approval; everything else is a look that
# failed, for all or for a part: that is told on standard error, with what was found, so that cron mails it. 75: the look
# before this one has not ended.
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
	0) subject="orgsync: everything is as the documents say" ;;
	2) subject="orgsync: drift" ;;
	8) subject="orgsync: what differs waits for approval" ;;
	*)
		# What could not be looked at stands in the report, and beside it what was found all the same.
		if [ -s now.txt ]; then cat now.txt >&2; fi
		cat errors.txt >&2
		echo "orgsync drift ended with exit code $code: the look failed, for all or for a part; what it has to say stands above" >&2
		exit "$code"
		;;
esac

# A first look that finds nothing is no news.
if [ ! -e last.txt ] && [ "$code" -eq 0 ]; then cp now.txt last.txt; fi
if ! cmp -s now.txt last.txt; then mail -s "$subject" "$ORGSYNC_MAIL" < now.txt; fi
# Only now: when the mail did not go out, the next look sends it.
mv now.txt last.txt
exit "$code"
