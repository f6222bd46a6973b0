// Follows a stream with the npm package "eventsource" through cuts, and prints what it saw as one JSON object.
// Arguments: folder with node_modules, URL of the stream.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, url] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/`));
const { EventSource } = await import(pathToFileURL(require.resolve("eventsource")).href);

const seen = [];
const requests = [];
const source = new EventSource(url, {
  fetch: (input, init) => {
    requests.push(init.headers["Last-Event-ID"] ?? null);
    return fetch(input, init);
  },
});
source.onmessage = (event) => seen.push({ id: event.lastEventId, data: event.data });
source.onerror = (event) => {
  if (source.readyState === EventSource.CLOSED) {
    console.log(JSON.stringify({ seen, requests, code: event.code ?? null }));
    process.exit(0);
  }
};
