/** Stands for a package that is not loaded because nobody uses it; whoever does is told. */
module.exports = new Proxy(
  {},
  {
    get(_target, name) {
      throw new Error(`'${String(name)}' is of a package that resolve-siblings.ts leaves out`)
    },
  },
)
