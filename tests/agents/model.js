// A model on loopback for agents of any make: answers `noted` in the wire formats of OpenAI (chat and responses),
// Anthropic and Gemini, streamed where that is asked for, and keeps what it was asked, as text.
'use strict';
const http = require('node:http');

const sse = (events) => events.map((e) => `${e.event ? `event: ${e.event}\n` : ''}data: ${typeof e.data === 'string' ? e.data : JSON.stringify(e.data)}\n\n`).join('');

function chat(body) {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const base = { id: 'c1', created: 1, model: body.model };
  if (!body.stream) return [false, { ...base, object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'noted' }, finish_reason: 'stop' }], usage }];
  const chunk = (delta, finish_reason) => ({ data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] } });
  return [true, [chunk({ role: 'assistant', content: 'noted' }, null), chunk({}, 'stop'), { data: { ...base, object: 'chat.completion.chunk', choices: [], usage } }, { data: '[DONE]' }]];
}

function responses() {
  const item = { type: 'message', role: 'assistant', id: 'm1', status: 'completed', content: [{ type: 'output_text', text: 'noted', annotations: [] }] };
  const response = { id: 'r1', object: 'response', output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
  return [true, [{ event: 'response.created', data: { type: 'response.created', response } }, { event: 'response.output_item.done', data: { type: 'response.output_item.done', output_index: 0, item } },
    { event: 'response.completed', data: { type: 'response.completed', response } }]];
}

function messages(body) {
  const message = { id: 'm1', type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } };
  if (!body.stream) return [false, { ...message, content: [{ type: 'text', text: 'noted' }], stop_reason: 'end_turn' }];
  const of = (type, rest = {}) => ({ event: type, data: { type, ...rest } });
  return [true, [of('message_start', { message }), of('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }), of('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'noted' } }),
    of('content_block_stop', { index: 0 }), of('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }), of('message_stop')]];
}

function gemini(_, url) {
  const answer = { candidates: [{ content: { role: 'model', parts: [{ text: 'noted' }] }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
  return url.includes('streamGenerateContent') ? [true, [{ data: answer }]] : [false, answer];
}

const kinds = [[/\/chat\/completions/, chat], [/\/responses/, responses], [/\/messages/, messages], [/generateContent/i, gemini]];

class Model {
  constructor() {
    this.requests = []; // the bodies, as JSON text
    this.failing = false;
    this.silence = null; // a request with these words in it is not answered
    this.server = http.createServer((request, response) => this.take(request, response));
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  take(request, response) {
    let text = '';
    request.on('data', (data) => { text += data; });
    request.on('end', () => {
      const [, answer] = kinds.find(([pattern]) => pattern.test(request.url)) || [];
      if (!answer || request.method !== 'POST') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'mock-model', object: 'model' }] }));
        return;
      }
      this.requests.push(text);
      if (this.silence && text.includes(this.silence)) return;
      if (this.failing) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { code: 400, message: 'refused', status: 'INVALID_ARGUMENT', type: 'invalid_request_error' } }));
        return;
      }
      const [streamed, value] = answer(JSON.parse(text), request.url);
      response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
      response.end(streamed ? sse(value) : JSON.stringify(value));
    });
  }

  close() {
    this.server.closeAllConnections?.();
    this.server.close();
  }
}

module.exports = { Model };
