# SPDX-License-Identifier: Apache-2.0
#
# A picture of GTKWave with a saved layout, on the X server of this process.
#
#   bash gtkwave.sh LAYOUT.gtkw PICTURE.png
set -euo pipefail
cd -- "$(dirname -- "$1")"
settings=$(mktemp)
printf '%s\n' 'fontname_signals Monospace 10' 'fontname_waves Monospace 10' >"$settings"
gtkwave --rcfile "$settings" "$(basename -- "$1")" >/dev/null 2>&1 &
viewer=$!
trap 'kill "$viewer" 2>/dev/null || true; rm -f -- "$settings"' EXIT
for _ in {1..60}; do
    ! xdotool search --name GTKWave >/dev/null 2>&1 || break
    sleep 0.5
done
sleep 3 # it draws
import -window root "$2"
