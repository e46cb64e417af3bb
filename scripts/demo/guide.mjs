/** Quotes text for a POSIX shell. */
const shellQuote = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const table = (rows) => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
};

/** What the demo prints once everything runs: addresses, logins, and the walk from 401 over 200 to 403. */
export function guide({ url, pages, sample, app, logins, tour, links }) {
  const [developer] = logins.developers;
  const login = JSON.stringify({ email: developer.email, password: developer.password });
  const token = `node -pe 'JSON.parse(fs.readFileSync(0, "utf8")).data.access_token'`;
  const api = `${url}/api/v1`;
  const withKey = `curl -i -H ${shellQuote(`X-API-Key: ${app.key}`)} ${sample}/whoami`;
  const [asDeveloper, asAdmin] = links;
  return `Start with the tour, five cards with a button each (for half an hour, from this machine):

  ${tour}

${table(pages)}

One click looks around as somebody. The links that sign in work once, from this machine, for half an hour:

${table([
  ['As a visitor', `${url}/portal`],
  ['As a developer', asDeveloper],
  ['As an admin', asAdmin],
])}

${table([
  ...logins.developers.map(({ email, password }) => ['Developer', `${email}  ${password}`]),
  ['Admin', `${logins.admin.email}  ${logins.admin.password}`],
])}

Two apps call the API of the demo meanwhile: price-watch of ${logins.developers[1].email} has used 78 % of its plan,
treasury-desk of ${logins.developers[2].email} goes on calling. See Usage in the console, and on the pages of these apps.

The Exchange Rates API of the demo runs at ${sample}, behind a proxy that asks the portal.
Paste these one after another:

  # 401: no key
  curl -i ${sample}/whoami

  # 200: with the key of the app ${app.name}, which was just created for ${developer.email}
  ${withKey}
  curl -i -H ${shellQuote(`X-API-Key: ${app.key}`)} ${sample}/rates/EUR-USD

  # revoke the key as its developer
  TOKEN=$(curl -s ${api}/auth/login -H 'Content-Type: application/json' -d ${shellQuote(login)} | ${token})
  curl -s -X POST -H "Authorization: Bearer $TOKEN" ${api}/me/apps/${app.name}/credentials/${app.credentialId}/revoke

  # 403: the same key, on the very next request
  ${withKey}

Ctrl-C ends everything. The project is in .scratch/demo; the next npm run demo goes on with it.`;
}
