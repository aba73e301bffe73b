// A model server of a few lines that plays the replies of a script.
import http from 'node:http';

// Replies: {text, reasoning, calls: [[name, arguments]…], hang: true}. The one that fits how often the model has
// spoken in the conversation is played.
export async function startModel() {
  const model = {script: [], heard: []};
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end();
      const {messages} = JSON.parse(body);
      model.heard.push(messages);
      const reply = model.script[messages.filter((message) => message.role === 'assistant').length] ?? {text: 'Nothing left to say.'};
      response.writeHead(200, {'content-type': 'text/event-stream'});
      const send = (delta, finish = null, more = {}) =>
        response.write(`data: ${JSON.stringify({choices: [{index: 0, delta, finish_reason: finish}], ...more})}\n\n`);
      for (const piece of (reply.reasoning ?? '').match(/[^]{1,7}/g) ?? []) send({reasoning_content: piece});
      for (const piece of (reply.text ?? '').match(/[^]{1,5}/gu) ?? []) send({content: piece});
      (reply.calls ?? []).forEach(([name, args], index) =>
        send({tool_calls: [{index, id: `call_${messages.length}_${index}`, type: 'function',
                            function: {name, arguments: JSON.stringify(args)}}]}));
      if (reply.hang) return;
      send({}, reply.calls ? 'tool_calls' : 'stop', {usage: {prompt_tokens: 1200, completion_tokens: 34, total_tokens: 1234}});
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  model.url = `http://127.0.0.1:${server.address().port}/v1`;
  model.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return model;
}
