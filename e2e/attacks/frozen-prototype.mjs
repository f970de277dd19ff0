/**
 * Preloaded into a process: from then on nothing can add to `Object.prototype` or change what it has. Libraries may
 * still give objects of their own a `toString`, which a frozen data property would forbid: each property becomes an
 * accessor that defines it on the object in question.
 */
for (const [name, { value, configurable }] of Object.entries(Object.getOwnPropertyDescriptors(Object.prototype))) {
  if (value === undefined || !configurable) continue
  Object.defineProperty(Object.prototype, name, {
    get: () => value,
    set(own) {
      if (this === Object.prototype) throw new TypeError(`Object.prototype.${name} is frozen.`)
      Object.defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true })
    },
  })
}
Object.freeze(Object.prototype)
