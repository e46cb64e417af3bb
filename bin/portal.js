#!/usr/bin/env node
'use strict';

var path = require('path');
var fault = require('./node-version.js')(process.versions.node);

if (fault !== null) {
  console.error(fault);
  process.exitCode = 1;
} else {
  require('./load.js')(path.join(__dirname, '..', 'dist', 'cli', 'main.js'))
    .then(function (cli) {
      return cli.main(process.argv.slice(2));
    })
    .then(function (code) {
      process.exitCode = code;
    });
}
