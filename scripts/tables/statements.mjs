import { relationsOf } from './relations.mjs'
import { isSqlTag, literalsOf, renderTemplate, unknownName } from './render.mjs'
import { lineOf, walk } from './source-tree.mjs'

/**
 * Finds what the SQL of a file touches: templates of Kysely, its query builder, and texts that are given to `query`.
 * Returns uses (a table that is read or written, a function that is called, at a file and line), whole statements with
 * parameters for what only the running program knows, and faults (what could not be parsed). A fragment of another file
 * counts for that file.
 */
export function usesOf(tree, file) {
  const found = { uses: [], statements: [], faults: [] }
  const templates = []
  walk(file.program, (node, parents) => {
    if (node.type === 'TaggedTemplateExpression' && isSqlTag(file, node.tag)) templates.push({ node, parents })
    if (node.type === 'VariableDeclarator') readWorkTable(tree, file, node, found)
    if (node.type === 'CallExpression') readCall(tree, file, node, parents, found)
  })
  const covered = new Set()
  const isInner = ({ node, parents }) =>
    covered.has(node) || parents.some((parent) => templates.some((t) => t.node === parent))
  const whole = templates.filter((template) => isStatement(textAtStart(template.node)))
  for (const { node } of whole) readTemplate(tree, file, node, covered, found, [''])
  for (const template of templates)
    if (!isInner(template)) readTemplate(tree, file, template.node, covered, found, wrappers)
  return found
}

/** What a fragment can be part of, tried in this order. */
const wrappers = [
  '',
  'select ',
  'select 1 from ',
  'select 1 where ',
  'select 1 where true ',
  'select 1 = ',
  `update ${unknownName} set `,
  `select 1 from ${unknownName} `,
  'values ',
]

const keyword =
  /^\s*(\/\*.*?\*\/\s*)?(select|insert|update|delete|with|merge|set|lock|truncate|copy|listen|notify|savepoint|release|rollback|create|drop|alter|grant|analyze|begin|commit)\b/i

function isStatement(text) {
  return keyword.test(text)
}

/** The first words of a template, whose first expression may be the mark of a prepared statement. */
function textAtStart({ quasi }) {
  const [first, second] = quasi.quasis.map(({ value }) => value.cooked ?? '')
  return first.trim() === '' && second !== undefined && quasi.expressions[0].name === 'prepared' ? second : first
}

function readTemplate(tree, file, node, covered, found, prefixes) {
  for (let variant = 0, variants = 1; variant < variants; variant++) {
    const rendered = ['$1', 'values ($1)'].map((parameter) => renderTemplate(tree, file, node, variant, parameter))
    variants = rendered[0].variants
    for (const template of rendered[0].covered) covered.add(template)
    readText(rendered, { file, at: node.start }, prefixes, found)
  }
}

/** Reads the first of several renderings that can be parsed. */
function readText(rendered, where, prefixes, found) {
  let failure
  for (const { text, originAt } of rendered) {
    if (text.trim() === '') return
    for (const prefix of prefixes) {
      try {
        const uses = relationsOf(prefix + text).filter(({ location }) => location >= prefix.length)
        for (const { location, ...use } of uses)
          found.uses.push({ ...use, ...placed(originAt(location - prefix.length)) })
        if (prefix === '') found.statements.push({ text, ...placed(where) })
        return
      } catch (error) {
        failure ??= error
      }
    }
  }
  found.faults.push({ ...placed(where), message: `PostgreSQL cannot parse this statement: ${failure.message}` })
}

function placed({ file, at }) {
  return { file: file.name, line: lineOf(file, at) }
}

const builderReads = new Set([
  'selectFrom',
  'innerJoin',
  'leftJoin',
  'rightJoin',
  'fullJoin',
  'crossJoin',
  'using',
  'from',
])
const builderWrites = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto'])
const notBuilders = new Set(['Array', 'Buffer', 'Readable', 'Uint8Array', 'Object', 'String', 'Map', 'Iterator'])

function readCall(tree, file, node, parents, found) {
  const { callee, arguments: given } = node
  if (callee.type !== 'MemberExpression' || callee.computed) return
  const method = callee.property.name
  if (['query', 'executeSql'].includes(method) || method === 'raw') return readQuery(tree, file, node, method, found)
  if (!builderReads.has(method) && !builderWrites.has(method)) return
  if (callee.object.type === 'Identifier' && notBuilders.has(callee.object.name)) return
  const access = builderWrites.has(method) || (method === 'selectFrom' && isLocked(node, parents)) ? 'write' : 'read'
  for (const item of given[0]?.type === 'ArrayExpression' ? given[0].elements : given.slice(0, 1)) {
    const names = literalsOf({ tree, file }, item)
    if (names)
      for (const name of names)
        found.uses.push({ kind: 'table', name: name.split(/\s/)[0], access, ...placed({ file, at: item.start }) })
    else if (method !== 'from' && method !== 'using' && !/Function|TaggedTemplate|CallExpression/.test(item.type))
      found.faults.push({
        ...placed({ file, at: item.start }),
        message: `${method} names a table that cannot be read here`,
      })
  }
}

/** A table that is handed to `kernel/work` is written for the module that declares it as a `WorkTable`. */
function readWorkTable(tree, file, { id, init }, found) {
  if (id.typeAnnotation?.typeAnnotation.typeName?.name !== 'WorkTable' || init?.type !== 'ObjectExpression') return
  const table = init.properties.find(({ key }) => key?.name === 'table')
  for (const name of literalsOf({ tree, file }, table?.value) ?? [unknownName])
    found.uses.push({ kind: 'table', name, access: 'write', ...placed({ file, at: id.start }) })
}

/** Whether the chain of a `selectFrom` ends in `forUpdate()`. */
function isLocked(node, parents) {
  for (let index = parents.length - 1, inner = node; index >= 0; index--) {
    const parent = parents[index]
    if (parent.type === 'MemberExpression' && parent.object === inner) {
      if (['forUpdate', 'forNoKeyUpdate'].includes(parent.property.name)) return true
    } else if (parent.type !== 'CallExpression' || parent.callee !== inner) return false
    inner = parent
  }
  return false
}

/** A statement that is given to the driver as text. */
function readQuery(tree, file, node, method, found) {
  const [text] = node.arguments
  if (!text) return
  if (method === 'raw' && !isSqlTag(file, node.callee.object)) return
  const where = { file, at: text.start }
  if (text.type === 'TemplateLiteral') {
    const parts = text.quasis.map(({ value }) => value.cooked).join(unknownName)
    if (method !== 'raw' || isStatement(parts))
      return readText([{ text: parts, originAt: () => where }], where, [''], found)
    return
  }
  for (const literal of literalsOf({ tree, file }, text) ?? [])
    if (method !== 'raw' || isStatement(literal))
      readText([{ text: literal, originAt: () => where }], where, [''], found)
}
