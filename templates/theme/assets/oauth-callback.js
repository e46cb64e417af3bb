// The window in which somebody signed in at the server of an API: hands the answer to the page that opened it, and nothing else.
// The page knows by `state` whether it is for it; the code is worth nothing without the secret that only that page holds.

const answer = new URLSearchParams(location.search);
// Out of the history, and out of what anything on this page could tell others.
history.replaceState(null, '', location.pathname);
const state = answer.get('state');
if (state) {
  const channel = new BroadcastChannel('portal-oauth');
  channel.addEventListener('message', ({ data }) => {
    if (data?.taken === state) window.close();
  });
  const fields = ['state', 'code', 'error', 'iss'].map((name) => [name, answer.get(name)]);
  channel.postMessage(Object.fromEntries(fields));
}
