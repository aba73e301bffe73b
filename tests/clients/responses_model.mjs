// A model behind the Responses API that plays a script. It stands in for aimock where tools come in namespaces, which that
// does not know: Codex sends those of an MCP server so.
import http from 'node:http';

// `calls` are [namespace, tool, arguments], one per turn. `heard` keeps what the model was asked.
export async function playResponses(calls) {
  const heard = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      if (!request.url.endsWith('/responses')) return response.writeHead(404).end();
      const asked = JSON.parse(body);
      heard.push(asked);
      const step = resultsIn(asked).length;
      const item = step < calls.length
        ? {type: 'function_call', id: `item_${step}`, call_id: `call_${step}`, namespace: calls[step][0],
           name: calls[step][1], arguments: JSON.stringify(calls[step][2])}
        : {type: 'message', id: 'item_last', role: 'assistant', content: [{type: 'output_text', text: 'All is done.'}]};
      response.writeHead(200, {'content-type': 'text/event-stream'});
      const id = `answer_${heard.length}`;
      for (const event of [
        {type: 'response.created', response: {id}},
        {type: 'response.output_item.done', output_index: 0, item},
        {type: 'response.completed', response: {id, output: [item], usage: {
          input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2}}},
      ]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    heard, url: `http://127.0.0.1:${server.address().port}`,
    results: () => (heard.length ? resultsIn(heard.at(-1)) : []),
    stop: () => { server.closeAllConnections(); return new Promise((done) => server.close(done)); },
  };
}

function resultsIn(asked) {
  return asked.input.filter((item) => item.type === 'function_call_output').map(({output}) =>
    typeof output === 'string' ? output : output.map((part) => part.text ?? '').join('\n'));
}
