import { registerHooks } from 'node:module'

/** Preloaded into a program: writes the names of the npm packages that it has loaded, as JSON, when it ends. */
const packages = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
    if (name !== undefined) packages.add(name)
    return nextLoad(url, context)
  },
})
process.once('exit', () => process.stdout.write(JSON.stringify([...packages])))
