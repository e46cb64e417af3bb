'use strict';

var path = require('path');
var fault = require('../../bin/node-version.js')(process.versions.node);

if (fault !== null) {
  console.error(fault);
  process.exitCode = 1;
} else {
  require('../../bin/load.js')(path.join(__dirname, 'demo.mjs'));
}
