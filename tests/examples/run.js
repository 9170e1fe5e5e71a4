// The files in examples/fleet against the schemas of those who read them: Kubernetes's OpenAPI description (a member that it
// does not name is one too many, as to `kubectl apply --validate=strict`) and compose's JSON schema. Neither is in this
// tree: a folder has them, and what npm puts there.
//
// Usage: node run.js FOLDER
//   with swagger.json of https://github.com/kubernetes/kubernetes (api/openapi-spec) and compose-spec.json of
//   https://github.com/compose-spec/compose-spec (schema), in it or below, and
//   npm install --prefix FOLDER ajv@8 ajv-formats@3 js-yaml@4
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { Report } = require('../e2e/harness');

const FLEET = path.join(__dirname, '../../examples/fleet');
const [, , folder] = process.argv;

// The file of that name in the folder, or below, but for what npm put there; '' for none.
function find(name, below = folder) {
  const entries = below && fs.existsSync(below) ? fs.readdirSync(below, { withFileTypes: true }) : [];
  if (entries.some((e) => e.isFile() && e.name === name)) return path.join(below, name);
  return entries.filter((e) => e.isDirectory() && e.name !== 'node_modules').map((e) => find(name, path.join(below, e.name))).find(Boolean) || '';
}

// Every object that has members knows no others.
function strict(schema) {
  for (const part of Object.values(schema)) if (part && typeof part === 'object') strict(part);
  if (schema.properties && typeof schema.properties === 'object' && schema.type === 'object' && schema.additionalProperties === undefined) schema.additionalProperties = false;
  return schema;
}

function libraries() {
  try {
    const from = createRequire(path.join(path.resolve(folder), 'node_modules/'));
    return { Ajv: from('ajv').default, formats: from('ajv-formats').default, yaml: from('js-yaml') };
  } catch { return null; }
}

// A function that says what is wrong with a document, [] for nothing.
function kubernetes({ Ajv }, file) {
  const { definitions } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true }).addSchema({ $id: 'k8s', definitions: strict(definitions) });
  const names = new Map(Object.entries(definitions).flatMap(([name, d]) => (d['x-kubernetes-group-version-kind'] || []).map((k) => [[k.group, k.version].filter(Boolean).join('/') + ' ' + k.kind, name])));
  return (document) => {
    const name = names.get(`${document.apiVersion} ${document.kind}`);
    if (!name) return [`there is no ${document.kind} in ${document.apiVersion}`];
    const validate = ajv.getSchema(`k8s#/definitions/${name}`);
    return validate(document) ? [] : validate.errors;
  };
}

function compose({ Ajv, formats }, file) {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats(ajv);
  const schema = JSON.parse(fs.readFileSync(file, 'utf8'));
  delete schema.$schema; // ajv has draft 7 under its address without s
  ajv.addFormat('duration', true).addFormat('ports', true).addFormat('expose', true).addFormat('subnet_ip_address', true);
  const validate = ajv.compile(schema);
  return (document) => (validate(document) ? [] : validate.errors);
}

// With a member that is none, one of another kind, and without one.
const spoiled = {
  'kubernetes.yaml': [(d) => { if (d.kind === 'StatefulSet') d.spec.replica = 1; }, (d) => { if (d.kind === 'StatefulSet') d.spec.template.spec.containers[0].ports[0].containerPort = '4222'; }, (d) => { if (d.kind === 'StatefulSet') delete d.spec.selector; }, (d) => { d.apiVersion = 'apps/v9'; }, (d) => { if (d.kind === 'Service') d.spec.ports[0].ports = 1; }],
  'compose.yaml': [(d) => { Object.values(d.services)[0].volume = []; }, (d) => { Object.values(d.services)[0].image = 7; }, (d) => { d.services = []; }],
};

async function main() {
  const report = new Report(), found = folder ? libraries() : null;
  for (const [name, schema, make] of [['kubernetes.yaml', 'swagger.json', kubernetes], ['compose.yaml', 'compose-spec.json', compose]]) {
    const file = find(schema);
    const why = !folder ? 'SCHEMAS names no folder' : !found ? `npm install --prefix ${folder} ajv@8 ajv-formats@3 js-yaml@4 was not run` : !file ? `no ${schema} is in ${folder}` : '';
    if (why) { report.skip(`${name} by its schema`, why); continue; }
    const check = make(found, file), read = () => found.yaml.loadAll(fs.readFileSync(path.join(FLEET, name), 'utf8'));
    await report.test(`${name} is what ${schema} says`, () => assert.deepStrictEqual(read().flatMap(check), []));
    await report.test(`${name}: what is spoiled is not`, () => {
      for (const spoil of spoiled[name]) { const documents = read(); documents.forEach(spoil); assert.notDeepStrictEqual(documents.flatMap(check), [], `${spoil}`); }
    });
  }
  report.finish();
}

main();
