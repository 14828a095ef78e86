local M = {}

function M.encode(item)
  return M.plain(item)
end

function M.plain(item)
  return tostring(item)
end

return M
