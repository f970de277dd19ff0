import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Pages of a builder's product, on an origin of their own. */
export interface BuilderPage {
  origin: string
  /** Returns the address of a page that shows this link in a frame. */
  frame(url: string): string
  /** Returns the address of a page with a button that opens this link in a window. */
  popup(url: string): string
  /** Returns the address of a page with a component. */
  component(name: string, properties: Record<string, unknown>): string
  close(): Promise<void>
}

/** What a page logs: the messages of windows and frames of the service, and the events of a component. */
const script = `
const view = JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}')
const main = document.querySelector('main')
const log = (text) => {
  const line = document.createElement('li')
  line.textContent = text
  document.querySelector('ol').append(line)
}
addEventListener('message', ({ origin, data }) => {
  if (origin === view.mortiseUrl && data?.source === 'mortise') log('message: ' + data.type)
})
if (view.frame) {
  const frame = document.createElement('iframe')
  frame.title = 'Connect your account'
  frame.src = view.frame
  main.append(frame)
}
if (view.popup) {
  const button = document.createElement('button')
  button.textContent = 'Open'
  button.onclick = () => window.open(view.popup, '_blank', 'width=560,height=760')
  main.append(button)
}
if (view.component) {
  const component = document.createElement(view.component)
  for (const type of ['connected', 'installed', 'changed', 'removed', 'error', 'closed'])
    component.addEventListener('mortise-' + type, () => log('event: ' + type))
  Object.assign(component, view.properties)
  main.append(component)
}
`
const style = 'iframe { width: 100%; height: 700px; border: 0 } body { margin: 0 } main { max-width: 480px }'

/** Starts it under a policy that allows only its own scripts, the service, and the policies of the components. */
export async function startBuilderPage(mortiseUrl: string): Promise<BuilderPage> {
  const headers = {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${mortiseUrl}`,
      "style-src 'self'",
      `connect-src ${mortiseUrl}`,
      `frame-src ${mortiseUrl}`,
      "img-src 'self'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types lit-html',
    ].join('; '),
  }
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Product</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css">
<script type="module" src="${mortiseUrl}/connect.js"></script><script type="module" src="/script.js"></script></head>
<body><main><h1>Product</h1><ol aria-label="Log"></ol></main></body></html>`
  const files: Record<string, [type: string, text: string]> = {
    '/': ['text/html', page],
    '/script.js': ['text/javascript', script],
    '/style.css': ['text/css', style],
  }
  const server = createServer(({ url = '' }, response) => {
    const file = files[url.split('?', 1)[0] ?? '']
    if (!file) return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': `${file[0]}; charset=utf-8`, ...headers }).end(file[1])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const address = (view: object) => `${origin}/#${encodeURIComponent(JSON.stringify({ mortiseUrl, ...view }))}`
  return {
    origin,
    frame: (url) => address({ frame: url }),
    popup: (url) => address({ popup: url }),
    component: (component, properties) => address({ component, properties }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
