// A model on loopback for agents of any make: answers `noted` in the wire formats of OpenAI (chat and responses),
// Anthropic and Gemini, streamed where that is asked for, and keeps what it was asked, as text. Where it is told to
// (`calls`), it first calls tools of the agent's, and keeps what it is told of each.
'use strict';
const http = require('node:http');

const sse = (events) => events.map((e) => `${e.event ? `event: ${e.event}\n` : ''}data: ${typeof e.data === 'string' ? e.data : JSON.stringify(e.data)}\n\n`).join('');
// A text, wherever content is one or has parts.
const text = (content) => (typeof content === 'string' ? content : [content].flat().map((part) => part?.text ?? '').join(''));

// Each format: answer(body, url, call) gives [streamed, value], where call is {id, name, arguments} or null; tools(body)
// the names of what may be called, results(body) [{id, text}] of what was.

const chat = {
  answer(body, _, call) {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const base = { id: 'c1', created: 1, model: body.model };
    const said = call ? { role: 'assistant', content: null, tool_calls: [{ index: 0, id: call.id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } }] } : { role: 'assistant', content: 'noted' };
    const reason = call ? 'tool_calls' : 'stop';
    if (!body.stream) return [false, { ...base, object: 'chat.completion', choices: [{ index: 0, message: said, finish_reason: reason }], usage }];
    const chunk = (delta, finish_reason) => ({ data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] } });
    return [true, [chunk(said, null), chunk({}, reason), { data: { ...base, object: 'chat.completion.chunk', choices: [], usage } }, { data: '[DONE]' }]];
  },
  tools: (body) => (body.tools || []).map((tool) => tool.function?.name),
  results: (body) => body.messages.filter((m) => m.role === 'tool').map((m) => ({ id: m.tool_call_id, text: text(m.content) })),
};

const responses = {
  answer(body, _, call) {
    // a tool of a server's may lie in a namespace
    const space = call && (body.tools || []).find((tool) => tool.tools?.some(({ name }) => `${tool.name}__${name}` === call.name));
    const item = call ? { type: 'function_call', id: `f${call.id}`, call_id: call.id, name: space ? call.name.slice(space.name.length + 2) : call.name, ...(space ? { namespace: space.name } : {}), arguments: JSON.stringify(call.arguments) }
      : { type: 'message', role: 'assistant', id: 'm1', status: 'completed', content: [{ type: 'output_text', text: 'noted', annotations: [] }] };
    const response = { id: 'r1', object: 'response', output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
    return [true, [{ event: 'response.created', data: { type: 'response.created', response } }, { event: 'response.output_item.done', data: { type: 'response.output_item.done', output_index: 0, item } },
      { event: 'response.completed', data: { type: 'response.completed', response } }]];
  },
  tools: (body) => (body.tools || []).flatMap((tool) => (tool.tools ? tool.tools.map(({ name }) => `${tool.name}__${name}`) : [tool.name])),
  results: (body) => body.input.filter((item) => item.type === 'function_call_output').map((item) => ({ id: item.call_id, text: text(item.output) })),
};

const messages = {
  answer(body, _, call) {
    const message = { id: 'm1', type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } };
    const block = call ? { type: 'tool_use', id: call.id, name: call.name, input: {} } : { type: 'text', text: '' };
    const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(call.arguments) } : { type: 'text_delta', text: 'noted' };
    const stop_reason = call ? 'tool_use' : 'end_turn';
    if (!body.stream) return [false, { ...message, content: [call ? { ...block, input: call.arguments } : { type: 'text', text: 'noted' }], stop_reason }];
    const of = (type, rest = {}) => ({ event: type, data: { type, ...rest } });
    return [true, [of('message_start', { message }), of('content_block_start', { index: 0, content_block: block }), of('content_block_delta', { index: 0, delta }),
      of('content_block_stop', { index: 0 }), of('message_delta', { delta: { stop_reason }, usage: { output_tokens: 1 } }), of('message_stop')]];
  },
  tools: (body) => (body.tools || []).map((tool) => tool.name),
  results: (body) => body.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((part) => part.type === 'tool_result').map((part) => ({ id: part.tool_use_id, text: text(part.content) })),
};

const gemini = {
  answer(_, url, call) {
    const part = call ? { functionCall: { id: call.id, name: call.name, args: call.arguments } } : { text: 'noted' };
    const answer = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
    return url.includes('streamGenerateContent') ? [true, [{ data: answer }]] : [false, answer];
  },
  tools: (body) => (body.tools || []).flatMap((tool) => tool.functionDeclarations || []).map(({ name }) => name),
  results: (body) => body.contents.flatMap(({ parts }) => parts).filter((part) => part.functionResponse).map(({ functionResponse: { id, response } }) => ({ id, text: response.output ?? JSON.stringify(response) })),
};

const kinds = [[/\/chat\/completions/, chat], [/\/responses/, responses], [/\/messages/, messages], [/generateContent/i, gemini]];

class Model {
  constructor() {
    this.requests = []; // the bodies, as JSON text
    this.failing = false;
    this.silence = null; // a request with these words in it is not answered
    this.calls = []; // {tool, arguments(results)}: what is called, one behind the other, in each conversation
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
      const [, format] = kinds.find(([pattern]) => pattern.test(request.url)) || [];
      if (!format || request.method !== 'POST') {
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
      const body = JSON.parse(text), [streamed, value] = format.answer(body, request.url, this.nextCall(format, body));
      response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
      response.end(streamed ? sse(value) : JSON.stringify(value));
    });
  }

  // The call that is due, of those that are not answered yet. Where an agent keeps its servers' tools back until they are
  // searched for, that first.
  nextCall(format, body) {
    const results = format.results(body), of = (kind) => results.filter(({ id }) => id.startsWith(kind));
    const looks = of('look'), call = this.calls[looks.length];
    if (looks.length) this.results = looks.map((result) => result.text);
    if (!call) return null;
    const pattern = new RegExp(`\\b\\w*ptyd[-_]+${call.tool}\\b`), offered = format.tools(body);
    const made = { id: `look${looks.length}`, name: offered.find((name) => pattern.test(name)), arguments: call.arguments(this.results) || {} };
    if (made.name) return made;
    const [hidden] = pattern.exec(JSON.stringify(body).replace(/\\[nt]/g, ' ')) || [], search = offered.find((name) => /^tool_?search$/i.test(name));
    if (!hidden || !search) return null;
    if (of('find').length <= looks.length) return { id: `find${looks.length}`, name: search, arguments: { query: `select:${hidden}`, max_results: 5 } };
    return offered.includes('tool_call') ? { ...made, name: 'tool_call', arguments: { name: hidden, arguments: made.arguments } } : { ...made, name: hidden };
  }

  close() {
    this.server.closeAllConnections?.();
    this.server.close();
  }
}

module.exports = { Model };
