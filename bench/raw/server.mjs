// The same answers as the portal's, written by hand for speed: Express 5, jsonwebtoken, mysql2 or SQLite, nothing between.
import express from 'express';
import { answerSamples, readTask } from '../support/measured-process.mjs';
import { permitted, showMe, signedIn, userList } from './accounts.mjs';
import { answerHeaders, sendError } from './answers.mjs';
import { catalogPage } from './catalog-page.mjs';
import { openDatabase } from './database.mjs';
import { login } from './login.mjs';
import { productHandlers } from './products.mjs';
import { searchHandler } from './search.mjs';
import { accessTokens } from './tokens.mjs';
import { verifyKey } from './verify.mjs';

const { settings, databaseUrl } = readTask();
const { prefix, adminPrefix } = settings;
const database = openDatabase(databaseUrl);
const tokens = accessTokens(settings);
const products = productHandlers(database, settings);
const mayListUsers = permitted(database, ['portal.admin.access', 'portal.users.view']);

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.set('query parser', 'simple');
app.use(answerHeaders);
app.get('/gateway/verify', verifyKey(database));
app.get(`${prefix}/api-products`, products.list);
app.get(`${prefix}/api-products/:id`, products.show);
app.get(`${prefix}/search`, searchHandler(database, databaseUrl));
app.get(`${prefix}/me`, signedIn(database, tokens, 'consumer'), showMe);
app.get(
  `${prefix}/${adminPrefix}/users`,
  signedIn(database, tokens, 'admin'),
  mayListUsers,
  userList(database, settings),
);
app.get('/portal/products', catalogPage(database));
app.post(`${prefix}/auth/login`, express.json({ limit: '100kb' }), login(database, tokens, settings));
app.use((error, _request, response, _next) => {
  console.error(error);
  sendError(response, 500, 'Server error.');
});

const server = app.listen(0, '127.0.0.1', () => answerSamples(server.address().port));
