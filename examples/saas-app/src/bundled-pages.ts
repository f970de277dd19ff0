import type { ServerResponse } from 'node:http'
import { bundlePage } from './bundle-page.ts'

/** Scripts that a bundler makes, with their sources. */
const entries: Readonly<Record<string, string>> = {
  '/react/page.js': 'react/page.jsx',
  '/vue/page.js': 'vue/page.js',
}

export interface BundledPages {
  /** Sends the script of a page. Returns false if there is no such script. */
  send(response: ServerResponse, path: string): Promise<boolean>
}

/** Bundles each script with its first request. */
export function createBundledPages(bundle: typeof bundlePage = bundlePage): BundledPages {
  const scripts = new Map<string, Promise<string | undefined>>()
  const scriptOf = (path: string, entry: string) => {
    const script = scripts.get(path) ?? bundle(entry)
    scripts.set(path, script)
    // What failed is tried again.
    script.catch(() => scripts.delete(path))
    return script
  }
  return {
    async send(response, path) {
      const entry = Object.hasOwn(entries, path) ? entries[path] : undefined
      if (entry === undefined) return false
      const script = (await scriptOf(path, entry)) ?? withoutTools
      response
        .writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' })
        .end(script)
      return true
    },
  }
}

const withoutTools = `import '/app.js'
document.querySelector('#root').textContent =
  'This page needs a bundler. Install the tools of development with "npm ci", and start Harbor again.'
`
