// Formulas of the site are \(...\) and \[...\] in code elements, where tools/site.py puts them.
window.MathJax = {
  options: { skipHtmlTags: ['script', 'noscript', 'style', 'textarea', 'pre'] },
};
