import { Type } from 'typebox'
import { endpoint } from '../../../../kernel/http/index.ts'
import type { ConsoleAssets } from '../console-assets.ts'
import { showPage } from '../show-page.ts'

export const showConsole = endpoint({
  id: 'showConsole',
  method: 'GET',
  path: '//console',
  access: 'public',
  summary: 'The console, in which people work with their projects.',
  description: 'Without a session, it leads to the sign-in page.',
  tag: 'Sign-in',
  extension: true,
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String(), 503: Type.String() },
  run: async (_, services: { consoleAssets: ConsoleAssets }) => showPage(services),
})
