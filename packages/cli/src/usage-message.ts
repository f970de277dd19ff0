import { commandLine } from './command-line.ts'
import { resources } from './resources/index.ts'

/** Words that people try, and the command that does what they mean. */
const synonyms: Record<string, string> = {
  add: 'create',
  call: 'api',
  configure: 'reconfigure',
  curl: 'api',
  describe: 'get',
  disable: 'pause',
  enable: 'destination enable',
  import: 'restore',
  invite: 'create invite',
  ls: 'list',
  operations: 'list operations',
  remove: 'delete',
  rm: 'delete',
  show: 'get',
  signin: 'login',
  signout: 'logout',
  status: 'doctor',
  sync: 'read',
  tail: 'logs --follow',
  test: 'destination test',
  trigger: 'read',
  unpause: 'resume',
  watch: 'listen',
}

/** Turns a message of commander into a sentence of ours: `Unknown option '--x'. Did you mean --y?` */
export function usageMessage(message: string): string {
  const text = message.replace(/^error: /, '').trim()
  const hintAt = text.endsWith('?)') ? text.lastIndexOf('(Did you mean ') : -1
  const problem = hintAt < 0 ? text : text.slice(0, hintAt).trimEnd()
  const hint = hintAt < 0 ? undefined : text.slice(hintAt + 1, -1)
  const [, unknown] = /^unknown command '(.+)'/.exec(problem) ?? []
  const meant = unknown === undefined ? undefined : commandFor(unknown)
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/(?<![.?!])$/, '.')}`
  return [sentence, meant === undefined ? hint : `Did you mean \`${meant}\`?`].filter(Boolean).join(' ')
}

/**
 * The command line that somebody may mean by a command that does not exist; undefined for what only looks misspelled.
 */
function commandFor(word: string): string | undefined {
  // As other command lines write it: `list:integrations`.
  const [verb = '', noun] = word.split(':', 2)
  if (noun !== undefined) return commandLine(verb, ...(verb === 'deploy' ? [] : [noun]))
  const synonym = Object.hasOwn(synonyms, word) ? synonyms[word] : undefined
  if (synonym !== undefined) return `mortise ${synonym}`
  const resource = resources.find(({ name, one }) => word === name || word === one)
  return resource?.list ? commandLine('list', resource.name) : undefined
}
