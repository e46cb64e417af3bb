// Finds the limits of the key that was verified, among those that portalkit has written on its app, and sets
// portalkit.second … portalkit.month for the policies that count. Runs in Apigee's Rhino: no ES2015.
var NAMES = { s: 'second', m: 'minute', h: 'hour', d: 'day', M: 'month' };
var MOST_ATTRIBUTES = 4;
var TAIL = 12;

function read(name) {
  return context.getVariable('verifyapikey.' + properties.verify + '.' + name);
}

// [plan, limits, until, limits afterwards]; null for a key without a plan.
function findPlan(tail, product) {
  for (var number = 1; number <= MOST_ATTRIBUTES; number += 1) {
    var name = properties.attribute + '-plans' + (number === 1 ? '' : '-' + number);
    var text = read('app.' + name) || read(name);
    if (!text) return null;
    var ofKey = JSON.parse(text)[tail];
    if (ofKey && ofKey[product]) return ofKey[product];
  }
  return null;
}

var key = String(read('client_id') || '');
var product = String(read('apiproduct.name') || '');
var plan = findPlan(key.slice(-TAIL), product);
if (plan) {
  var isOver = plan[2] && plan[2] * 1000 <= context.getVariable('system.timestamp');
  var limits = (isOver ? plan[3] : plan[1]).split(' ');
  // All keys of an app use the same quota of a product.
  context.setVariable('portalkit.counter', String(read('app.id') || read('developer.app.id')) + ' ' + product);
  context.setVariable('portalkit.plan', plan[0]);
  for (var index = 0; index < limits.length; index += 1) {
    var parts = /^(\d+)([smhdM])$/.exec(limits[index]);
    if (parts) context.setVariable('portalkit.' + NAMES[parts[2]], parts[1] + (parts[2] === 's' ? 'ps' : ''));
  }
}
