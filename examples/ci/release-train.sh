#!/bin/sh
# One release at a time, in jobs on different machines: `build` takes the lease and hands it over, `deploy` goes on under it,
# `give-back` is for a job that did not get so far. `all` does what the workflow does, on one machine.
set -eu
: "${OWNER:?name this run, such as acme/app/123.1}"
: "${BUILD:=echo built}" "${DEPLOY:=echo deployed}"
key=release-train

build() {
  npx mastra-lease acquire "$key" --owner "$OWNER/build" --ttl 1h --wait 20m
  sh -c "$BUILD"
  # Nobody gets in between: the key is never free.
  npx mastra-lease transfer "$key" --from "$OWNER/build" --to "$OWNER/deploy" --ttl 1h
}

deploy() {
  # Renewed while it goes on, given back at its end; the same owner takes over what was handed to it.
  npx mastra-lease exec "$key" --owner "$OWNER/deploy" --ttl 1m -- sh -c "$DEPLOY"
}

give_back() {
  for job in build deploy; do
    # 3: it is another's by now, which is none of our business.
    npx mastra-lease release "$key" --owner "$OWNER/$job" --missing-ok || [ $? -eq 3 ]
  done
}

case ${1:-} in
  build) build ;;
  deploy) deploy ;;
  give-back) give_back ;;
  all)
    trap 'code=$?; [ $code -eq 0 ] || give_back; exit $code' EXIT
    build
    deploy
    ;;
  *) echo "usage: release-train.sh build|deploy|give-back|all" >&2; exit 2 ;;
esac
