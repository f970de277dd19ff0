import { reply } from '../../../kernel/http/index.ts'
import type { ConsoleAssets } from './console-assets.ts'
import { consolePage, notBuiltPage } from './console-page.ts'

/** Returns the page that starts the console. Its scripts read the path. */
export function showPage({ consoleAssets }: { consoleAssets: ConsoleAssets }) {
  const entries = consoleAssets.entries()
  if (entries === undefined) {
    const page = notBuiltPage()
    return reply(503, page.text, page.headers)
  }
  const page = consolePage(entries)
  return reply(200, page.text, page.headers)
}
