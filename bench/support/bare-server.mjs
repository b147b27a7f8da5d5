// Answers health checks and does nothing else: how late it is, the machine is.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('{"status":"alive"}'));
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
