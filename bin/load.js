'use strict';

// A file of its own: `import()` is a syntax error to versions that only get to hear that they are too old.
module.exports = (file) => import(require('node:url').pathToFileURL(file).href);
