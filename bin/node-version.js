'use strict';

// Read by every Node.js there ever was: one that is too old is to say so, and not to stumble over newer syntax.
var manifest = require('../package.json');

/**
 * @param {string} version such as 20.19.0
 * @returns {string | null} what to tell somebody whose Node.js is too old
 */
module.exports = function explainOldNode(version) {
  var least = /(\d{1,4})\.(\d{1,4})/.exec(manifest.engines.node);
  var own = /(\d{1,4})\.(\d{1,4})/.exec(version);
  var major = Number(own[1]) - Number(least[1]);
  if (major > 0 || (major === 0 && Number(own[2]) >= Number(least[2]))) return null;
  return (
    'portalkit needs Node.js ' +
    least[0] +
    ' or newer, and this is ' +
    version +
    ': install a newer one from https://nodejs.org.'
  );
};
