import { loadModule, parseSync } from 'libpg-query'

await loadModule()

/**
 * Returns the relations that a statement reads and writes, and the functions that it calls, each with its position in
 * the text. Names of common table expressions are left out where they are visible. Throws on what PostgreSQL cannot
 * parse.
 */
export function relationsOf(text) {
  const found = []
  for (const { stmt } of parseSync(text).stmts ?? []) visit(stmt, new Set(), found)
  return found
}

const writes = { InsertStmt: 'relation', UpdateStmt: 'relation', DeleteStmt: 'relation', MergeStmt: 'relation' }
const lockStrengths = new Set(['LCS_FORUPDATE', 'LCS_FORNOKEYUPDATE'])

function visit(node, names, found) {
  if (Array.isArray(node)) for (const item of node) visit(item, names, found)
  else if (node && typeof node === 'object')
    for (const [type, value] of Object.entries(node)) visitEntry(type, value, names, found)
}

function visitEntry(type, value, outer, found) {
  if (type === 'RangeVar') return add(value, 'read', outer, found)
  if (type === 'FuncCall') addFunction(value, found)
  if (!value || typeof value !== 'object') return
  let names = outer
  if (value.withClause) {
    names = new Set(outer)
    for (const { CommonTableExpr: cte } of value.withClause.ctes) names.add(cte.ctename)
  }
  if (value.lockingClause) addLocks(value, names, found)
  const target = writes[type]
  if (target) add(value[target], 'write', new Set(), found)
  if (type === 'TruncateStmt') for (const { RangeVar } of value.relations) add(RangeVar, 'write', new Set(), found)
  if (type === 'CopyStmt' && value.relation) add(value.relation, value.is_from ? 'write' : 'read', new Set(), found)
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'lockingClause' || (key === target && target)) continue
    if (type === 'TruncateStmt' || (type === 'CopyStmt' && key === 'relation')) continue
    if (key === 'relation' && inner?.relname) add(inner, 'read', names, found)
    else visitEntry(key, inner, names, found)
  }
}

/** A row that is locked for an update will be written: only its owner does that. */
function addLocks(select, names, found) {
  for (const { LockingClause: lock } of select.lockingClause) {
    if (!lockStrengths.has(lock.strength)) continue
    const wanted = lock.lockedRels?.map(({ RangeVar }) => RangeVar.relname)
    for (const relation of tablesOf(select.fromClause ?? []))
      if (!wanted || wanted.includes(relation.alias?.aliasname ?? relation.relname))
        add(relation, 'write', names, found)
  }
}

function tablesOf(from) {
  return from.flatMap((item) => {
    if (item.RangeVar) return [item.RangeVar]
    return item.JoinExpr ? tablesOf([item.JoinExpr.larg, item.JoinExpr.rarg]) : []
  })
}

function add({ schemaname: schema, relname: name, location = 0 }, access, names, found) {
  if (schema === undefined && names.has(name)) return
  found.push({ kind: 'table', schema, name, access, location })
}

function addFunction({ funcname, location = 0 }, found) {
  const [name, schema] = funcname.map(({ String: word }) => word.sval).toReversed()
  found.push({ kind: 'function', schema, name, access: 'call', location })
}
