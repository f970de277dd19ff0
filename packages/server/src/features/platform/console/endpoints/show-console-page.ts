import { Type } from 'typebox'
import { endpoint, Path, Ref } from '../../../../kernel/http/index.ts'
import type { ConsoleAssets } from '../console-assets.ts'
import { showPage } from '../show-page.ts'

export const showConsolePage = endpoint({
  id: 'showConsolePage',
  method: 'GET',
  path: '//console/{page}',
  takesRest: true,
  access: 'public',
  summary: 'A page of the console. Its scripts read the path.',
  tag: 'Sign-in',
  extension: true,
  params: Path({ page: Ref }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String(), 503: Type.String() },
  run: async (_, services: { consoleAssets: ConsoleAssets }) => showPage(services),
})
