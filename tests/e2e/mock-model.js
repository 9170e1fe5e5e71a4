// The mock model as a program of its own, for the demo: prints its port, writes codex's config.
'use strict';
const { MockModel } = require('./harness');

new MockModel().listen().then((model) => {
  model.codexHome(process.argv[2]);
  console.log(model.port);
});
