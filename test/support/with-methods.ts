/** Decorator of `target` that replaces some of its methods and keeps its interface, for any class. */
export function withMethods<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get: (real, name) => {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name) as unknown
      const value: unknown = Reflect.get(real, name, real)
      return typeof value === 'function' ? (value.bind(real) as unknown) : value
    },
  })
}
