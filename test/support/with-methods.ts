/** `target` with some of its methods replaced: a decorator with the same interface, whatever class `target` is of. */
export function withMethods<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get: (real, name) => {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name) as unknown
      const value: unknown = Reflect.get(real, name, real)
      return typeof value === 'function' ? (value.bind(real) as unknown) : value
    },
  })
}
