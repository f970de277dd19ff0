import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectJoins } from './project-joins.mjs'
import { unknownName } from './render.mjs'
import { SourceTree } from './source-tree.mjs'
import { usesOf } from './statements.mjs'

const declaration = 'packages/server/src/table-owners.ts'
const distribution = 'packages/server/src/table-distribution.ts'
const mayHoldSql = /\bsql\b|\.query\(|selectFrom|insertInto|updateTable|deleteFrom|mergeInto|WorkTable/

/**
 * Returns what the statements of the server do against the declared ownership of tables, and which of them join rows of
 * several projects, one line for each fault.
 *
 * @param notYet uses of foreign tables that are allowed until they are gone: `module: [table]`
 */
export async function tableFaults(root, notYet) {
  const source = path.join(root, 'packages/server/src')
  const {
    tableOwners,
    wholeDatabase,
    sharedExpressions = {},
  } = await import(pathToFileURL(path.join(root, declaration)))
  const { outsideProjects } = await import(pathToFileURL(path.join(root, distribution)))
  const isOfProject = (name) => name in tableOwners && !(name in outsideProjects)
  const rules = new Rules(tableOwners, notYet, sharedExpressions)
  const tree = new SourceTree()
  const faults = []
  for (const file of sourceFiles(source)) {
    if (moduleOf(source, file) in wholeDatabase) continue
    const found = usesOf(tree, tree.file(file))
    for (const { file: name, line, message } of found.faults) faults.push(`${relative(root, name)}:${line}: ${message}`)
    for (const { text, file: name, line } of found.statements)
      for (const message of projectJoins(text, isOfProject).flatMap((joins) => joins.faults))
        faults.push(`${relative(root, name)}:${line}: ${message}`)
    for (const use of found.uses) {
      const user = moduleOf(source, use.file)
      const message = user in wholeDatabase ? undefined : rules.faultOf(user, use)
      if (message) faults.push(`${relative(root, use.file)}:${use.line}: ${message}`)
    }
  }
  return [...new Set([...faults.toSorted(), ...rules.unused()])]
}

/** Source files with SQL. Tests may look into every table, and kinds of destinations use databases of users. */
function sourceFiles(source) {
  const exclude = ['**/*.{test,testkit,cases}.ts', '**/{testkit,testing,migrations}/**', '**/messaging/kinds/**']
  const files = globSync('**/*.ts', { cwd: source, exclude }).toSorted()
  return files.map((file) => path.join(source, file)).filter((file) => mayHoldSql.test(readFileSync(file, 'utf8')))
}

/** The module of a file: the outermost folder with an `index.ts` below `features`, `kernel/NAME`, or a folder. */
export function moduleOf(source, file) {
  const [first, second, third] = path.relative(source, file).split(path.sep)
  if (first === 'kernel') return `kernel/${second}`
  if (first !== 'features') return first
  return existsSync(path.join(source, first, second, 'index.ts')) ? second : third
}

/** What a module may do with a table, and which permissions nobody needs. */
class Rules {
  #owners
  #notYet
  #expressions
  #used = new Set()

  constructor(owners, notYet, expressions) {
    this.#owners = owners
    this.#notYet = notYet
    this.#expressions = expressions
  }

  faultOf(user, { kind, schema, name, access }) {
    if (kind === 'function' || /^pg_/.test(name) || schema === 'information_schema') return undefined
    // The tables of pg-boss, which only its module knows.
    if (schema === 'mortise_jobs' && user === 'kernel/jobs') return undefined
    if (name === unknownName) return 'the name of a table is not known here; write it as a literal'
    if (schema === undefined && access === 'read' && name in this.#expressions) return undefined
    const { owner, readBy = {} } = this.#owners[name] ?? {}
    if (!owner) return `${name} is no table of ${declaration}`
    if (owner === user) return undefined
    const verb = access === 'write' ? 'writes' : 'reads'
    const isListed = this.#notYet[user]?.includes(name)
    if (isListed) this.#used.add(`${user} uses ${name}`)
    if (verb === 'reads') this.#used.add(`${user} reads ${name}`)
    if (isListed || (verb === 'reads' && user in readBy)) return undefined
    const advice = verb === 'reads' ? `, or declare it in ${declaration} (readBy)` : ''
    return `${user} ${verb} ${name}, which belongs to ${owner}; call a function of ${owner}${advice}`
  }

  /** Permissions that no statement needs. */
  unused() {
    const reads = Object.entries(this.#owners).flatMap(([table, { readBy = {} }]) =>
      Object.keys(readBy).map((user) => [`${user} reads ${table}`, `${declaration} (readBy)`]),
    )
    const uses = Object.entries(this.#notYet).flatMap(([user, tables]) =>
      tables.map((table) => [`${user} uses ${table}`, 'scripts/tables.json']),
    )
    return [...reads, ...uses]
      .filter(([what]) => !this.#used.has(what))
      .map(([what, where]) => `${where}: ${what}: no statement does; remove the entry`)
  }
}

function relative(root, file) {
  return path.relative(root, file)
}
