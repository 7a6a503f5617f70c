# Sourced by bin/ and hack/ scripts, from the top folder: installs the npm packages of package-lock.json if they are
# missing or older than it. All output goes to stderr.
if [ ! -e node_modules/.installed ] || [ package-lock.json -nt node_modules/.installed ]; then
  command -v npm >/dev/null || { echo 'error: npm is needed for the first start: install Node.js' >&2; exit 1; }
  echo 'installing packages…' >&2
  npm ci >&2 && touch node_modules/.installed
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
