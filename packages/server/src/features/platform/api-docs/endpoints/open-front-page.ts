import { Type } from 'typebox'
import { endpoint, html, htmlDocument, plainPageHeaders, reply } from '../../../../kernel/http/index.ts'

const content = html`<p>Work with your projects in the console, or read how to use the API.</p>
<a class="button" href="/console">Open the console</a>
<a class="button second" href="/docs">Documentation</a>`

export const openFrontPage = endpoint({
  id: 'openFrontPage',
  method: 'GET',
  path: '//',
  access: 'public',
  summary: 'The page at the address of the service: links to the console and to this reference.',
  tag: 'Reference',
  extension: true,
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String() },
  run: async () => reply(200, htmlDocument('Mortise is running', content), plainPageHeaders),
})
