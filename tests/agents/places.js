// What agents of others, from npm, need to run against a model on loopback in a home of their own.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');

// The folders of programs below those in which npm has installed something; whether a program is there.
const bins = (folders) => folders.map((folder) => path.resolve(folder, 'node_modules/.bin'));
const has = (places, program) => places.some((bin) => fs.existsSync(path.join(bin, program)));

const AGENTS = ['codex', 'claude', 'gemini', 'opencode', 'qwen', 'copilot'];

// What is to be tried has to be there: fails for a folder without any of them, and where there is no folder.
function demand(report, folders, agents = AGENTS) {
  if (!folders.length) report.fail('a folder is given');
  for (const folder of folders)
    if (!agents.some((agent) => has(bins([folder]), agent))) report.fail(`${folder} has an agent`, `none of ${agents.join(', ')} is in ${bins([folder])}`);
}

// Where no test ran, none passed.
function finish(report) {
  if (!report.passed && !report.failed && !report.skipped) report.fail('something ran', `no test's name matches ${process.env.ONLY}`);
  report.finish();
}

// Their settings, and the environment that they are started with; folders with their programs.
function settle(space, model, folders) {
  const write = (file, value) => {
    fs.mkdirSync(path.dirname(path.join(space.home, file)), { recursive: true });
    fs.writeFileSync(path.join(space.home, file), typeof value === 'string' ? value : JSON.stringify(value));
  };
  write('.gemini/settings.json', { security: { auth: { selectedType: 'gemini-api-key' } }, model: { name: 'gemini-2.5-flash' }, general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false } });
  write('.claude.json', { hasCompletedOnboarding: true, customApiKeyResponses: { approved: ['sk-ant-none'], rejected: [] }, projects: { [space.home]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } } });
  write('.qwen/settings.json', { security: { auth: { selectedType: 'openai' } }, general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false } });
  write('.config/opencode/opencode.json', { autoupdate: false, share: 'disabled', model: 'mock/mock-model', small_model: 'mock/mock-model',
    provider: { mock: { npm: '@ai-sdk/openai-compatible', name: 'mock', options: { baseURL: `${model.url}/v1`, apiKey: 'none' }, models: { 'mock-model': { name: 'mock' } } } } });
  write('.codex/config.toml', `model = "mock-model"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`);
  return {
    ...space.env, PATH: `${folders.join(':')}:${process.env.PATH}`, NO_COLOR: '1', CI: '',
    GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_CLI_TRUST_WORKSPACE: 'true',
    OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_MODEL: 'mock-model',
    COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`, COPILOT_PROVIDER_API_KEY: 'none', COPILOT_MODEL: 'mock-model', COPILOT_OFFLINE: 'true',
    ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-none', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', IS_SANDBOX: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1',
  };
}

// One run of a program to its end: {code, said}.
function once(command, args, { env, cwd }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { said += data; });
    const late = setTimeout(() => child.kill('SIGKILL'), 120000);
    child.on('error', (error) => { said += error.message; });
    child.on('close', (code) => { clearTimeout(late); resolve({ code, said }); });
  });
}

module.exports = { bins, has, demand, finish, settle, once };
