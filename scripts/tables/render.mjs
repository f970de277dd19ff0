/**
 * Renders an SQL template of Kysely as one text that PostgreSQL can parse. Nested templates, fragments in constants
 * and fragments that functions return are written in; every other expression is a parameter. Each character
 * remembers the file and position that it was written at, so that a fragment stays the statement of its author.
 *
 * Where the code chooses (`a ? x : y`, several returns, a member of an object), the variant picks: `render` returns
 * how many variants there are. A builder of statements may take a query as its parameter: `parameter` stands for it.
 */
export function renderTemplate(tree, file, template, variant, parameter = '$1') {
  const out = { parts: [], variants: 1, covered: new Set() }
  const context = { tree, file, bound: new Map(), variant, parameter, out }
  renderTagged(context, template)
  return { ...textOf(out.parts), variants: out.variants, covered: out.covered }
}

function textOf(parts) {
  let text = ''
  const origins = []
  for (const part of parts) {
    origins.push({ from: text.length, file: part.file, at: part.at })
    // Positions from the parser count bytes.
    text += part.text.replaceAll(/[^\p{ASCII}]/gu, '?')
  }
  const originAt = (offset) => {
    const part = origins.findLast(({ from }) => from <= offset) ?? origins[0]
    return { file: part.file, at: part.at + (offset - part.from) }
  }
  return { text, originAt }
}

function renderTagged(context, node) {
  context.out.covered.add(node)
  const { quasis, expressions } = node.quasi
  for (const [index, quasi] of quasis.entries()) {
    write(context, quasi.value.cooked ?? quasi.value.raw, quasi.start)
    const expression = expressions[index]
    if (expression) renderExpression(context, expression)
  }
}

function write(context, text, at) {
  context.out.parts.push({ text, file: context.file, at })
}

/** A parameter. Its number does not matter to the parser. After `with name as (`, it can only be a query. */
function writeParameter(context, node) {
  const isQuery = /\bas \($/.test(context.out.parts.at(-1)?.text ?? '')
  write(context, isQuery ? 'values ($1)' : context.parameter, node.start)
}

function renderExpression(context, node) {
  const found = fragmentsOf(context, node)
  if (found.length === 0) return writeParameter(context, node)
  context.out.variants = Math.max(context.out.variants, found.length)
  const chosen = found[Math.min(context.variant, found.length - 1)]
  chosen()
}

/** How each fragment that an expression may stand for is written; none for a value. */
function fragmentsOf(context, node, depth = 0) {
  if (depth > 12 || !node) return []
  const again = (other, inner = context) => fragmentsOf(inner, other, depth + 1)
  switch (node.type) {
    case 'TaggedTemplateExpression':
      return isSqlTag(context.file, node.tag) ? [() => renderTagged(context, node)] : []
    case 'ConditionalExpression': {
      const both = [again(node.consequent), again(node.alternate)]
      return both.some((list) => list.length > 0) ? orParameter(context, [node.consequent, node.alternate], both) : []
    }
    case 'LogicalExpression':
      return [...again(node.left), ...again(node.right)]
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return again(node.expression)
    case 'Identifier':
      return ofName(context, node, again)
    case 'MemberExpression':
      return ofMember(context, node, again)
    case 'CallExpression':
      return ofCall(context, node, again)
    default:
      return []
  }
}

function orParameter(context, nodes, lists) {
  return lists.flatMap((list, index) => (list.length > 0 ? list : [() => writeParameter(context, nodes[index])]))
}

function ofName(context, node, again) {
  const bound = context.bound.get(node.name)
  if (bound) return again(bound.node, bound.context)
  const target = context.tree.resolve(context.file, node.name, node.start)
  if (!target || isFunction(target.node)) return []
  return again(target.node, { ...context, file: target.file, bound: new Map() })
}

/** A member of an object of fragments: the named one, or any of them. */
function ofMember(context, node, again) {
  let object = node.object
  let inner = context
  if (object.type === 'Identifier') {
    const target = context.tree.resolve(context.file, object.name, object.start)
    if (!target) return []
    object = target.node
    inner = { ...context, file: target.file, bound: new Map() }
  }
  while (/^TS(As|Satisfies)Expression$/.test(object.type)) object = object.expression
  if (object.type !== 'ObjectExpression') return []
  const members = object.properties.filter(({ type }) => type === 'Property')
  const named = node.computed ? members : members.filter(({ key }) => key.name === node.property.name)
  return named.flatMap(({ value }) => again(value, inner))
}

function ofCall(context, node, again) {
  const method = sqlMethod(context.file, node.callee)
  if (method) return ofSqlMethod(context, method, node, again)
  if (node.callee.type !== 'Identifier') return []
  const bound = context.bound.get(node.callee.name)
  const target = bound
    ? { node: bound.node, file: bound.context.file, outer: bound.context.bound }
    : context.tree.resolve(context.file, node.callee.name, node.start)
  if (!target || !isFunction(target.node)) return []
  const inner = { ...context, file: target.file, bound: new Map(target.outer ?? []) }
  for (const [index, parameter] of target.node.params.entries()) {
    const name = parameter.type === 'AssignmentPattern' ? parameter.left.name : parameter.name
    if (name && node.arguments[index]) inner.bound.set(name, { node: node.arguments[index], context })
  }
  const results = returnsOf(target.node)
  const lists = results.map((result) => again(result, inner))
  return lists.some((list) => list.length > 0) ? orParameter(inner, results, lists) : []
}

function ofSqlMethod(context, method, node, again) {
  const [first] = node.arguments
  if (method === 'join') {
    const element = elementOf(context, first)
    const found = element ? again(element.node, element.context) : []
    return found.length > 0 ? found : [() => writeParameter(context, node)]
  }
  const literals = literalsOf(context, first)
  if (method === 'raw') return (literals ?? ['1']).map((text) => () => write(context, text, node.start))
  const isName = ['id', 'table', 'ref'].includes(method)
  return isName ? (literals ?? [unknownName]).map((text) => () => write(context, text, node.start)) : []
}

/** Stands for a name that only the running program knows. */
export const unknownName = 'unknown_name'

/** What each element of a list is made with: the function of its `map`. */
function elementOf(context, node) {
  if (node?.type === 'Identifier') {
    const target = context.tree.resolve(context.file, node.name, node.start)
    return target && elementOf({ ...context, file: target.file }, target.node)
  }
  if (node?.type === 'ArrayExpression') return { node: node.elements[0], context }
  if (node?.type !== 'CallExpression' || node.callee.property?.name !== 'map') return undefined
  const make = node.arguments[0]
  return isFunction(make) ? { node: returnsOf(make)[0], context } : undefined
}

/** The texts that an expression may be: of a literal, a constant, a choice, or a type that lists literals. */
export function literalsOf(context, node) {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : undefined
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? [node.quasis[0].value.cooked] : undefined
    case 'TSLiteralType':
      return literalsOf(context, node.literal)
    case 'TSUnionType':
      return allLiterals(context, node.types)
    case 'ConditionalExpression':
      return allLiterals(context, [node.consequent, node.alternate])
    case 'Identifier': {
      const bound = context.bound?.get(node.name)
      if (bound) return literalsOf(bound.context, bound.node)
      const target = context.tree.resolve(context.file, node.name, node.start)
      return target && target.node !== node
        ? literalsOf({ tree: context.tree, file: target.file }, target.node)
        : undefined
    }
    default:
      return undefined
  }
}

function allLiterals(context, nodes) {
  const lists = nodes.map((node) => literalsOf(context, node))
  return lists.every(Boolean) ? lists.flat() : undefined
}

function isFunction(node) {
  return /Function/.test(node?.type ?? '')
}

function returnsOf(node) {
  if (node.body.type !== 'BlockStatement') return [node.body]
  const results = []
  const visit = (child) => {
    if (!child || typeof child.type !== 'string' || isFunction(child)) return
    if (child.type === 'ReturnStatement' && child.argument) results.push(child.argument)
    for (const value of Object.values(child)) for (const inner of Array.isArray(value) ? value : [value]) visit(inner)
  }
  visit(node.body)
  return results
}

export function isSqlTag(file, tag) {
  return tag.type === 'Identifier' && file.sqlTags.has(tag.name)
}

function sqlMethod(file, callee) {
  const isMember = callee.type === 'MemberExpression' && callee.object.type === 'Identifier'
  return isMember && file.sqlTags.has(callee.object.name) ? callee.property.name : undefined
}
